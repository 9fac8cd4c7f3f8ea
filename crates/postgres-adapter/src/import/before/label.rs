//! A version of a label with its catalogue key.

use super::{TABLE, instant};
use crate::error::{corrupt, unexpected};
use crate::row::JsonText;
use crate::supplement::SupplementRow;
use application::ports::storage::StorageError;
use chrono::NaiveDate;
use domain::supplement::{CatalogueKey, Supplement};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Time of entry in microseconds since 1970, label date as `2001-02-03`, ingredients as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct LabelJson {
    catalogue_source: String,
    catalogue_key: String,
    #[serde(with = "super::id")]
    id: Uuid,
    brand: String,
    name: String,
    servings: String,
    upc: String,
    label_date: Option<String>,
    entry_date: i64,
    ingredients: String,
}

impl LabelJson {
    pub(super) fn of(key: &CatalogueKey, version: &Supplement) -> Result<Self, StorageError> {
        let (catalogue_source, catalogue_key) = key.clone().into_parts();
        let SupplementRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } =
            SupplementRow::of(version)?;
        let ingredients = String::from_utf8(ingredients.0);
        Ok(Self {
            catalogue_source,
            catalogue_key,
            id,
            brand,
            name,
            servings,
            upc,
            label_date: label_date.map(|date| date.to_string()),
            entry_date: entry_date.timestamp_micros(),
            ingredients: ingredients.map_err(|_| unexpected("ingredients could not be written"))?,
        })
    }

    pub(super) fn into_label(self, row: Uuid) -> Result<(CatalogueKey, Supplement), StorageError> {
        let Self {
            catalogue_source,
            catalogue_key,
            id,
            brand,
            name,
            servings,
            upc,
            label_date,
            entry_date,
            ingredients,
        } = self;
        let key = CatalogueKey::new(catalogue_source, catalogue_key);
        let date = label_date.map(|text| text.parse::<NaiveDate>()).transpose();
        let columns = SupplementRow {
            id,
            brand,
            name,
            servings,
            upc,
            label_date: date.map_err(corrupt(TABLE, "before", row))?,
            entry_date: instant(entry_date, row)?,
            ingredients: JsonText(ingredients.into_bytes()),
        };
        Ok((key.map_err(corrupt(TABLE, "before", row))?, columns.into_supplement()?))
    }
}
