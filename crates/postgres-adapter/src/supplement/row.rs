//! The rows of a supplement.

use crate::error::corrupt;
use crate::row::JsonText;
use crate::schema::supplement;
use application::ports::storage::StorageError;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Date, Jsonb, Nullable, Text, Timestamptz};
use domain::id::SupplementId;
use domain::supplement::{CatalogueKey, Supplement, SupplementLabel, SupplementLabelFields, Upc};
use store_shared::{read_ingredients, write_ingredients};
use uuid::Uuid;

const TABLE: &str = "supplement";

/// Columns of a [`SupplementRow`], in its order.
pub(crate) const SUPPLEMENT_COLUMNS: &str =
    "s.id, s.brand, s.name, s.servings, s.upc, s.label_date, s.entry_date, s.ingredients";

/// SQL types of these columns.
pub(crate) type SupplementColumns = (SqlUuid, Text, Text, Text, Text, Nullable<Date>, Timestamptz, Jsonb);

/// A row of `supplement`: one version of a label, without its key in the catalogue.
///
/// The fields are in the order of [`SUPPLEMENT_COLUMNS`].
#[derive(Clone, PartialEq, Eq, Queryable, Selectable, AsChangeset)]
#[diesel(table_name = supplement, check_for_backend(Pg), treat_none_as_null = true)]
pub(crate) struct SupplementRow {
    pub(crate) id: Uuid,
    pub(crate) brand: String,
    pub(crate) name: String,
    pub(crate) servings: String,
    pub(crate) upc: String,
    pub(crate) label_date: Option<NaiveDate>,
    pub(crate) entry_date: DateTime<Utc>,
    pub(crate) ingredients: JsonText,
}

impl SupplementRow {
    pub(crate) fn from_supplement(version: &Supplement) -> Result<Self, StorageError> {
        let Supplement { id, label, entry_date } = version;
        let SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients } =
            label.clone().into_fields();
        Ok(Self {
            id: id.as_uuid(),
            brand,
            name,
            servings,
            upc,
            label_date,
            entry_date: *entry_date,
            ingredients: write_ingredients(&ingredients)?.into(),
        })
    }

    pub(crate) fn into_supplement(self) -> Result<Supplement, StorageError> {
        let Self { id, brand, name, servings, upc, label_date, entry_date, ingredients } = self;
        let ingredients = read_ingredients(ingredients.as_str()).ok_or(());
        let ingredients = ingredients.map_err(corrupt(TABLE, "ingredients", id))?;
        let fields =
            SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients };
        let label = SupplementLabel::new(fields).map_err(corrupt(TABLE, "label", id))?;
        Ok(Supplement { id: SupplementId::from_uuid(id), label, entry_date })
    }
}

/// Converts a row with its catalogue source and key.
pub(crate) fn keyed(
    row: (String, String, SupplementRow),
) -> Result<(CatalogueKey, Supplement), StorageError> {
    let (source, key, version) = row;
    let key = CatalogueKey::new(source, key).map_err(corrupt(TABLE, "catalogue_key", version.id))?;
    Ok((key, version.into_supplement()?))
}

/// New current versions as one list per column.
#[derive(Default)]
pub(crate) struct NewSupplements {
    pub(crate) ids: Vec<Uuid>,
    pub(crate) catalogue_sources: Vec<String>,
    pub(crate) catalogue_keys: Vec<String>,
    pub(crate) brands: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) servings: Vec<String>,
    pub(crate) upcs: Vec<String>,
    pub(crate) label_dates: Vec<Option<NaiveDate>>,
    pub(crate) entry_dates: Vec<DateTime<Utc>>,
    pub(crate) ingredients: Vec<JsonText>,
    pub(crate) upc_digits: Vec<Option<String>>,
}

impl NewSupplements {
    pub(crate) fn from_labels(labels: &[(CatalogueKey, Supplement)]) -> Result<Self, StorageError> {
        let mut columns = Self::default();
        for (key, version) in labels {
            columns.push(key, version)?;
        }
        Ok(columns)
    }

    fn push(&mut self, key: &CatalogueKey, version: &Supplement) -> Result<(), StorageError> {
        let SupplementRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } =
            SupplementRow::from_supplement(version)?;
        let (source, key) = key.clone().into_parts();
        self.ids.push(id);
        self.catalogue_sources.push(source);
        self.catalogue_keys.push(key);
        self.brands.push(brand);
        self.names.push(name);
        self.servings.push(servings);
        self.upcs.push(upc);
        self.label_dates.push(label_date);
        self.entry_dates.push(entry_date);
        self.ingredients.push(ingredients);
        self.upc_digits.push(upc_digits(version));
        Ok(())
    }
}

/// Returns the normalized product code of a label, if its text is one.
pub(crate) fn upc_digits(version: &Supplement) -> Option<String> {
    Upc::parse(version.label.upc()).ok().map(|upc| upc.as_str().to_owned())
}
