//! The line `supplement`: the API's `details`.

use super::invalid_item::{InvalidItem, at, named};
use super::line::given;
use crate::json::{Bounded, LooseScalar};
use crate::timestamp::Timestamp;
use application::ports::import_source::ImportedSupplement;
use chrono::{DateTime, NaiveTime, Utc};
use domain::id::SupplementId;
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, InvalidLabel, SupplementLabel, SupplementLabelFields,
};
use serde::Deserialize;
use uuid::Uuid;

/// Name space of keys derived from a label's text; never changes.
const LABEL_WORDS: Uuid = Uuid::from_u128(0x8f1d_3c52_7a0e_4b69_9d44_2e6b_a1c7_50f3);

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type", default)]
    _type: LooseScalar,
    id: Option<String>,
    brand: Option<String>,
    name: String,
    #[serde(default)]
    servings: LooseScalar,
    upc: Option<String>,
    entry_date: Option<String>,
    #[serde(default)]
    supplement_ingredient: Bounded<RawIngredient>,
    external_id: Option<String>,
    external_source: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RawIngredient {
    quantity: Option<f64>,
    unit: Option<String>,
    active: Option<bool>,
    ingredient_name: String,
    order: Option<i64>,
    amount_stated: Option<bool>,
}

pub(super) fn read(line: Line, place: &str) -> Result<Box<ImportedSupplement>, InvalidItem> {
    let id = given(line.id.as_deref()).map(SupplementId::parse).transpose().map_err(named("id"))?;
    let entered = line.entry_date.as_deref().map(|text| Timestamp::parse("entry_date", text)).transpose();
    let entered = entered.map_err(at("entry_date"))?.map(|timestamp| timestamp.instant);
    let [external_id, external_source] =
        [line.external_id, line.external_source].map(|text| text.filter(|text| given(Some(text)).is_some()));
    let fields = SupplementLabelFields {
        brand: line.brand.unwrap_or_default(),
        name: line.name,
        servings: line.servings.printed().unwrap_or_default(),
        upc: line.upc.unwrap_or_default(),
        entry_date: entered.filter(is_midnight).map(|instant| instant.date_naive()),
        ingredients: ingredients(line.supplement_ingredient.0).map_err(at("supplement_ingredient"))?,
    };
    let label = SupplementLabel::new(fields).map_err(|error| match error {
        InvalidLabel::Text(text) => at(text.field)(text),
        InvalidLabel::EntryDate => at("entry_date")(error),
        InvalidLabel::Quantity | InvalidLabel::NotPresentUnit | InvalidLabel::TooManyIngredients { .. } => {
            at("supplement_ingredient")(error)
        }
    })?;
    let key = match (external_id, external_source) {
        (Some(key), Some(source)) => CatalogueKey::new(source, key),
        (None, None) => CatalogueKey::new(CatalogueKey::RESTWELL.to_owned(), own_key(id, &label)),
        _ => return Err(at("external_id")("external_id and external_source go together")),
    };
    let key = key.map_err(named("external_id"))?;
    Ok(Box::new(ImportedSupplement { place: place.to_owned(), file: 0, id, key, label, entry_date: entered }))
}

/// A label's entry date is written as 00:00:00 UTC; any other time is that of the first import.
fn is_midnight(instant: &DateTime<Utc>) -> bool {
    instant.time() == NaiveTime::MIN
}

/// Returns the key from the id, else from brand, name and product code, so that the same label is found
/// again.
fn own_key(id: Option<SupplementId>, label: &SupplementLabel) -> String {
    if let Some(id) = id {
        return id.to_string();
    }
    // Lengths prevent ambiguity that a separator alone would leave.
    let words =
        [label.brand(), label.name(), label.upc()].map(|word| format!("{}:{word}", word.len())).join("|");
    format!("label-{}", Uuid::new_v5(&LABEL_WORDS, words.as_bytes()))
}

/// Reads the ingredients by `order`; those without come last.
fn ingredients(mut raw: Vec<RawIngredient>) -> Result<Vec<Ingredient>, String> {
    raw.sort_by_key(|ingredient| ingredient.order.unwrap_or(i64::MAX));
    raw.into_iter()
        .map(|ingredient| {
            read_ingredient(ingredient).map_err(|reason| format!("supplement_ingredient: {reason}"))
        })
        .collect()
}

fn read_ingredient(raw: RawIngredient) -> Result<Ingredient, String> {
    let RawIngredient { quantity, unit, active, ingredient_name, order: _, amount_stated } = raw;
    let amount = match (amount_stated, quantity) {
        (Some(false), _) | (None, None) => None,
        (Some(true), None) => return Err("amount_stated is true, but quantity is missing".to_owned()),
        (_, Some(quantity)) => {
            Amount::from_label(quantity, unit.unwrap_or_default()).map_err(|error| error.to_string())?
        }
    };
    Ingredient::new(ingredient_name, amount, active.unwrap_or(true)).map_err(|error| error.to_string())
}
