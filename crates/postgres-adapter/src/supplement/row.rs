//! The rows of a supplement.

use crate::error::{corrupt, unexpected};
use crate::row::JsonText;
use crate::schema::supplement;
use application::ports::storage::StorageError;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Date, Jsonb, Nullable, Text, Timestamptz};
use domain::id::SupplementId;
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, InvalidLabel, Supplement, SupplementLabel, SupplementLabelFields, Upc,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

const TABLE: &str = "supplement";

/// Columns of a [`SupplementRow`], in its order.
pub(crate) const SUPPLEMENT_COLUMNS: &str =
    "s.id, s.brand, s.name, s.servings, s.upc, s.label_date, s.entry_date, s.ingredients";

/// SQL types of these columns.
pub(crate) type SupplementColumns = (SqlUuid, Text, Text, Text, Text, Nullable<Date>, Timestamptz, Jsonb);

/// One ingredient in the column `ingredients`; quantity and unit are present if the label has them.
#[derive(Serialize, Deserialize)]
struct IngredientJson {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    active: bool,
}

impl From<&Ingredient> for IngredientJson {
    fn from(ingredient: &Ingredient) -> Self {
        let amount = ingredient.amount();
        Self {
            name: ingredient.name().to_owned(),
            quantity: amount.map(Amount::quantity),
            unit: amount.map(|amount| amount.unit().to_owned()),
            active: ingredient.is_active(),
        }
    }
}

impl IngredientJson {
    fn into_ingredient(self) -> Result<Ingredient, InvalidLabel> {
        let Self { name, quantity, unit, active } = self;
        let amount = quantity.map(|number| Amount::new(number, unit.unwrap_or_default())).transpose()?;
        Ingredient::new(name, amount, active)
    }
}

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
    pub(crate) fn of(version: &Supplement) -> Result<Self, StorageError> {
        let Supplement { id, label, entry_date } = version;
        let SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients } =
            label.clone().into_fields();
        let list: Vec<IngredientJson> = ingredients.iter().map(IngredientJson::from).collect();
        let json = serde_json::to_vec(&list).map_err(|_| unexpected("ingredients could not be written"))?;
        Ok(Self {
            id: id.as_uuid(),
            brand,
            name,
            servings,
            upc,
            label_date,
            entry_date: *entry_date,
            ingredients: JsonText(json),
        })
    }

    pub(crate) fn into_supplement(self) -> Result<Supplement, StorageError> {
        let Self { id, brand, name, servings, upc, label_date, entry_date, ingredients } = self;
        let list: Vec<IngredientJson> =
            serde_json::from_slice(&ingredients.0).map_err(corrupt(TABLE, "ingredients", id))?;
        let ingredients = list.into_iter().map(IngredientJson::into_ingredient).collect::<Result<_, _>>();
        let ingredients = ingredients.map_err(corrupt(TABLE, "ingredients", id))?;
        let fields =
            SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients };
        let label = SupplementLabel::new(fields).map_err(corrupt(TABLE, "label", id))?;
        Ok(Supplement { id: SupplementId::from_uuid(id), label, entry_date })
    }
}

/// A new row of `supplement`: the current version of its key.
#[derive(Insertable)]
#[diesel(table_name = supplement, check_for_backend(Pg))]
pub(crate) struct NewSupplementRow {
    id: Uuid,
    catalogue_source: String,
    catalogue_key: String,
    is_current: bool,
    brand: String,
    name: String,
    servings: String,
    upc: String,
    label_date: Option<NaiveDate>,
    entry_date: DateTime<Utc>,
    ingredients: JsonText,
    upc_digits: Option<String>,
}

impl NewSupplementRow {
    pub(crate) fn of(key: &CatalogueKey, version: &Supplement) -> Result<Self, StorageError> {
        let SupplementRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } =
            SupplementRow::of(version)?;
        let (catalogue_source, catalogue_key) = key.clone().into_parts();
        Ok(Self {
            id,
            catalogue_source,
            catalogue_key,
            is_current: true,
            brand,
            name,
            servings,
            upc,
            label_date,
            entry_date,
            ingredients,
            upc_digits: upc_digits(version),
        })
    }
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
    pub(crate) fn of(labels: &[(CatalogueKey, Supplement)]) -> Result<Self, StorageError> {
        let mut columns = Self::default();
        for (key, version) in labels {
            columns.push(NewSupplementRow::of(key, version)?);
        }
        Ok(columns)
    }

    fn push(&mut self, row: NewSupplementRow) {
        let NewSupplementRow {
            id,
            catalogue_source,
            catalogue_key,
            // Only current versions are inserted.
            is_current: _,
            brand,
            name,
            servings,
            upc,
            label_date,
            entry_date,
            ingredients,
            upc_digits,
        } = row;
        self.ids.push(id);
        self.catalogue_sources.push(catalogue_source);
        self.catalogue_keys.push(catalogue_key);
        self.brands.push(brand);
        self.names.push(name);
        self.servings.push(servings);
        self.upcs.push(upc);
        self.label_dates.push(label_date);
        self.entry_dates.push(entry_date);
        self.ingredients.push(ingredients);
        self.upc_digits.push(upc_digits);
    }
}

/// Returns the normalized product code of a label, if its text is one.
pub(crate) fn upc_digits(version: &Supplement) -> Option<String> {
    Upc::parse(version.label.upc()).ok().map(|upc| upc.as_str().to_owned())
}
