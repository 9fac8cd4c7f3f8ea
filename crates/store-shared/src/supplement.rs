//! The supplement catalogue: versions of labels.

use crate::column::{Day, DayCell, Held, Id, IdCell, Instant, TimeCell};
use crate::ingredients::{read_ingredients, write_ingredients};
use crate::row::{Cells, Stored};
use crate::statement::{Raw, Value};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{CatalogueVersion, StorageError, SupplementRepository};
use async_trait::async_trait;
use diesel::Queryable;
use diesel::sql_types::{Bool, Nullable, Text};
use domain::id::{SupplementId, UserId};
use domain::supplement::{CatalogueKey, Supplement, SupplementLabel, SupplementLabelFields, Upc};
use std::collections::BTreeSet;

/// Columns of a [`VersionRow`], in its order.
pub const VERSION_COLUMNS: &str = "s.catalogue_source, s.catalogue_key, s.is_current, s.id, s.brand, s.name,
    s.servings, s.upc, s.label_date, s.entry_date, CAST(s.ingredients AS text)";

/// SQL types of these columns.
pub type VersionColumns = (Text, Text, Bool, LabelColumns);

/// SQL types of a [`LabelRow`].
pub type LabelColumns = (Id, Text, Text, Text, Text, Nullable<Day>, Instant, Text);

/// A version of a label with its key in the catalogue.
#[derive(Debug, Queryable)]
pub struct VersionRow {
    source: String,
    key: String,
    is_current: bool,
    label: LabelRow,
}

/// A version of a label, without its key in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
#[expect(missing_docs, reason = "fields have the names of columns")]
pub struct LabelRow {
    pub id: IdCell,
    pub brand: String,
    pub name: String,
    pub servings: String,
    pub upc: String,
    pub label_date: Option<DayCell>,
    pub entry_date: TimeCell,
    /// JSON.
    pub ingredients: String,
}

impl LabelRow {
    /// Returns the row of a version.
    pub fn from_supplement(supplement: &Supplement) -> Result<Self, StorageError> {
        let Supplement { id, label, entry_date } = supplement;
        let SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients } =
            label.clone().into_fields();
        Ok(Self {
            id: id.cell(),
            brand,
            name,
            servings,
            upc,
            label_date: label_date.cell(),
            entry_date: entry_date.cell(),
            ingredients: write_ingredients(&ingredients)?,
        })
    }
}

impl Stored for LabelRow {
    type Value = Supplement;

    fn into_value(self) -> Result<Supplement, StorageError> {
        let Self { id, brand, name, servings, upc, label_date, entry_date, ingredients } = self;
        let cells = Cells("supplement", &id);
        let label = SupplementLabel::new(SupplementLabelFields {
            brand,
            name,
            servings,
            upc,
            entry_date: cells.parse("label_date", label_date)?,
            ingredients: cells.present("ingredients", read_ingredients(&ingredients))?,
        });
        Ok(Supplement {
            id: cells.parse("id", id)?,
            label: cells.present("name", label.ok())?,
            entry_date: cells.parse("entry_date", entry_date)?,
        })
    }
}

impl Stored for VersionRow {
    type Value = CatalogueVersion;

    fn into_value(self) -> Result<CatalogueVersion, StorageError> {
        let Self { source, key, is_current, label } = self;
        let key = CatalogueKey::new(source, key).ok();
        let key = Cells("supplement", &label.id).present("catalogue_key", key)?;
        Ok(CatalogueVersion { key, supplement: label.into_value()?, is_current })
    }
}

/// Converts rows to versions with their keys.
pub fn keyed(
    rows: impl IntoIterator<Item = VersionRow>,
) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
    let versions = rows.into_iter().map(VersionRow::into_value);
    versions
        .map(|version| version.map(|CatalogueVersion { key, supplement, .. }| (key, supplement)))
        .collect()
}

/// Returns the product code of a label as digits, if its text is one.
pub fn upc_digits(label: &SupplementLabel) -> Option<String> {
    Upc::parse(label.upc()).ok().map(|upc| upc.as_str().to_owned())
}

/// Selects current versions with the same text as the partial indexes: SQLite uses these only for an
/// identical condition.
const IS_CURRENT: [&str; 2] = ["s.is_current", "s.is_current = 1"];

/// The owner of a custom product, as the column has it.
const OWNER: [&str; 2] = ["?", "hex(?)"];

fn versions(condition: &str) -> Raw<VersionColumns> {
    Raw::same(format!("SELECT {VERSION_COLUMNS} FROM supplement s WHERE {condition}"))
}

/// Returns the statement that finds a version.
pub fn version_statement(id: impl Into<Value>) -> Raw<VersionColumns> {
    versions("s.id = ?").bind(id)
}

/// Returns the statement that finds the current version of a key.
pub fn current_statement(key: &CatalogueKey) -> Raw<VersionColumns> {
    let of_key = versions("s.catalogue_source = ? AND s.catalogue_key = ? AND ").sql_of(IS_CURRENT);
    of_key.text(key.source()).text(key.key())
}

/// Lists the custom products of a person.
pub async fn list_own(
    store: &impl Store,
    user_id: UserId,
) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
    let own = versions("s.owner_id = ").sql_of(OWNER).bind(user_id.cell()).sql(" AND ").sql_of(IS_CURRENT);
    keyed(store.load_rows(own.sql(" ORDER BY s.id")).await?)
}

/// Lists the versions of the catalogue with a product code.
pub async fn list_by_upc(store: &impl Store, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
    let query = versions(
        "s.upc_digits = ? AND s.owner_id IS NULL
        ORDER BY s.catalogue_source, s.catalogue_key, s.is_current DESC, s.id",
    );
    store.read_all::<VersionRow, _>(query.text(upc.as_str())).await
}

/// Statements about labels that each store runs in its way.
#[async_trait]
pub trait StoreLabels: Send {
    /// Loads versions.
    async fn load_versions(&mut self, ids: &[SupplementId]) -> Result<Vec<VersionRow>, StorageError>;

    /// Loads the current versions of keys.
    async fn load_current(&mut self, keys: BTreeSet<CatalogueKey>) -> Result<Vec<VersionRow>, StorageError>;

    /// Stores labels as [`SupplementRepository::insert`] describes.
    async fn insert_labels(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError>;

    /// Replaces a version as [`SupplementRepository::replace`] describes.
    async fn replace_label(
        &mut self,
        old: SupplementId,
        new: &(CatalogueKey, Supplement),
    ) -> Result<(), StorageError>;

    /// Deletes a version as [`SupplementRepository::retract`] describes.
    async fn retract_label(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError>;
}

#[async_trait]
impl<R: Transaction + StoreLabels> SupplementRepository for Unit<R> {
    async fn find(&mut self, id: SupplementId) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        Ok(keyed(self.0.load_row(version_statement(id.cell())).await?)?.pop())
    }

    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let version = self.read::<VersionRow>(current_statement(key)).await?;
        Ok(version.map(|version| version.supplement))
    }

    async fn find_many(
        &mut self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        keyed(self.0.load_versions(ids).await?)
    }

    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        // Without duplicates, so that each row is returned once.
        keyed(self.0.load_current(keys.iter().cloned().collect()).await?)
    }

    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        // On PostgreSQL, stays true after the person who logged it is deleted; the version is then kept,
        // which is harmless.
        let query: Raw<Bool> = Raw::new([
            "SELECT EXISTS (SELECT FROM supplement WHERE id = ? AND is_logged)",
            "SELECT EXISTS (SELECT 1 FROM intake_log WHERE supplement_id = ?)",
        ]);
        Ok(self.0.load_row(query.bind(id.cell())).await?.unwrap_or_default())
    }

    async fn insert(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        if labels.is_empty() {
            return Ok(());
        }
        self.0.insert_labels(labels).await
    }

    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError> {
        let LabelRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } =
            LabelRow::from_supplement(supplement)?;
        let query: Raw = Raw::same(
            "UPDATE supplement SET brand = ?, name = ?, servings = ?, upc = ?, label_date = ?, entry_date = ?,
                upc_digits = ?, ingredients = ?",
        );
        let values: [Value; 8] = [
            brand.into(),
            name.into(),
            servings.into(),
            upc.into(),
            label_date.into(),
            entry_date.into(),
            upc_digits(&supplement.label).into(),
            ingredients.into(),
        ];
        let query = query.sql_of(["::jsonb", ""]).bind_all(values);
        self.changes(query.sql(" WHERE id = ?").bind(id)).await
    }

    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        self.0.replace_label(old, &(key.clone(), new.clone())).await
    }

    async fn find_by_upc(&mut self, upc: &Upc, user_id: UserId) -> Result<Option<Supplement>, StorageError> {
        let of_code = versions("s.upc_digits = ? AND ").text(upc.as_str()).sql_of(IS_CURRENT);
        let visible =
            of_code.sql(" AND (s.owner_id IS NULL OR s.owner_id = ").sql_of(OWNER).bind(user_id.cell());
        // False is less than true.
        let query = visible
            .sql(") ORDER BY s.owner_id IS NULL, s.label_date IS NULL, s.entry_date DESC, s.id DESC LIMIT 1");
        Ok(self.read::<VersionRow>(query).await?.map(|version| version.supplement))
    }

    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        self.0.retract_label(id, predecessor).await
    }
}
