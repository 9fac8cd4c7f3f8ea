//! The rows of a supplement.

use crate::row::{Cells, blob, date, micros};
use crate::schema::supplement;
use application::ports::storage::{CatalogueVersion, StorageError};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::id::{SupplementId, UserId};
use domain::supplement::{CatalogueKey, Supplement, SupplementLabel, SupplementLabelFields, Upc};
use store_shared::{read_ingredients, write_ingredients};

/// Returns the owner of a person's own products, as the column `owner_id` has it.
pub(crate) fn owner(user_id: UserId) -> String {
    user_id.as_uuid().simple().to_string().to_uppercase()
}

/// A row of `supplement`.
#[derive(Queryable, Selectable)]
#[diesel(table_name = supplement)]
pub(crate) struct SupplementRow {
    id: Vec<u8>,
    catalogue_source: String,
    catalogue_key: String,
    is_current: bool,
    #[diesel(embed)]
    label: LabelRow,
}

/// Columns that a corrected label overwrites.
#[derive(Queryable, Selectable, AsChangeset)]
#[diesel(table_name = supplement, treat_none_as_null = true)]
pub(crate) struct LabelRow {
    brand: String,
    name: String,
    servings: String,
    upc: String,
    label_date: Option<String>,
    entry_date: i64,
    ingredients: String,
}

impl SupplementRow {
    /// Returns the row of the current version of a key.
    pub(crate) fn current(key: &CatalogueKey, supplement: &Supplement) -> Result<Self, StorageError> {
        Ok(Self {
            id: blob(supplement.id.as_uuid()),
            catalogue_source: key.source().to_owned(),
            catalogue_key: key.key().to_owned(),
            is_current: true,
            label: LabelRow::from_supplement(supplement)?,
        })
    }

    pub(crate) fn into_version(self) -> Result<CatalogueVersion, StorageError> {
        let Self { id, catalogue_source, catalogue_key, is_current, label } = self;
        let cells = Cells::new("supplement", &id);
        let key = cells.valid("catalogue_key", CatalogueKey::new(catalogue_source, catalogue_key))?;
        Ok(CatalogueVersion { key, supplement: label.into_supplement(cells, &id)?, is_current })
    }

    pub(crate) fn into_parts(self) -> Result<(CatalogueKey, Supplement), StorageError> {
        // Only queries use this column.
        let CatalogueVersion { key, supplement, is_current: _ } = self.into_version()?;
        Ok((key, supplement))
    }

    pub(crate) fn into_supplement(self) -> Result<Supplement, StorageError> {
        self.into_parts().map(|(_, supplement)| supplement)
    }
}

impl LabelRow {
    pub(super) fn from_supplement(supplement: &Supplement) -> Result<Self, StorageError> {
        let Supplement { id: _, label, entry_date } = supplement;
        let SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients } =
            label.clone().into_fields();
        Ok(Self {
            brand,
            name,
            servings,
            upc,
            label_date: label_date.map(date),
            entry_date: micros(*entry_date),
            ingredients: write_ingredients(&ingredients)?,
        })
    }

    fn into_supplement(self, cells: Cells<'_>, id: &[u8]) -> Result<Supplement, StorageError> {
        let Self { brand, name, servings, upc, label_date, entry_date, ingredients } = self;
        let label = SupplementLabel::new(SupplementLabelFields {
            brand,
            name,
            servings,
            upc,
            entry_date: cells.optional_date("label_date", label_date.as_deref())?,
            ingredients: cells.present("ingredients", read_ingredients(&ingredients))?,
        });
        Ok(Supplement {
            id: SupplementId::from_uuid(cells.uuid("id", id)?),
            label: cells.valid("name", label)?,
            entry_date: cells.instant("entry_date", entry_date)?,
        })
    }
}

/// A new current version, and the digits of its product code.
pub(super) struct NewLabel {
    row: SupplementRow,
    upc_digits: Option<String>,
}

impl NewLabel {
    pub(super) fn from_label(key: &CatalogueKey, supplement: &Supplement) -> Result<Self, StorageError> {
        let upc_digits = upc_digits(&supplement.label);
        Ok(Self { row: SupplementRow::current(key, supplement)?, upc_digits })
    }
}

/// Returns the normalized product code of a label, if its text is one.
pub(super) fn upc_digits(label: &SupplementLabel) -> Option<String> {
    Upc::parse(label.upc()).ok().map(|upc| upc.as_str().to_owned())
}

/// Insert statement with a constant text, so that it stays prepared by its type.
impl QueryFragment<Sqlite> for NewLabel {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let Self { row, upc_digits } = self;
        // Only current versions are inserted.
        let SupplementRow { id, catalogue_source, catalogue_key, is_current: _, label } = row;
        let LabelRow { brand, name, servings, upc, label_date, entry_date, ingredients } = label;
        out.push_sql(
            "INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings, upc, \
             label_date, entry_date, ingredients, upc_digits) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        out.push_bind_param_value_only::<Binary, _>(id)?;
        for text in [catalogue_source, catalogue_key, brand, name, servings, upc] {
            out.push_bind_param_value_only::<Text, _>(text)?;
        }
        out.push_bind_param_value_only::<Nullable<Text>, _>(label_date)?;
        out.push_bind_param_value_only::<BigInt, _>(entry_date)?;
        out.push_bind_param_value_only::<Text, _>(ingredients)?;
        out.push_bind_param_value_only::<Nullable<Text>, _>(upc_digits)
    }
}

impl QueryId for NewLabel {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NewLabel {}
