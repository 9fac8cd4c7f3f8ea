//! A label as NIH writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A label, or a search hit that contains one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Label {
    #[serde(rename = "_source")]
    source: Option<Box<Self>>,
    pub(super) id: LooseScalar,
    pub(super) full_name: LooseScalar,
    pub(super) brand_name: LooseScalar,
    pub(super) upc_sku: LooseScalar,
    pub(super) servings_per_container: LooseScalar,
    pub(super) entry_date: LooseScalar,
    pub(super) events: Bounded<Event>,
    /// Absent in search results.
    pub(super) ingredient_rows: Option<Bounded<Row>>,
    #[serde(rename = "otheringredients")]
    pub(super) other_ingredients: Option<Other>,
}

impl Label {
    /// Returns the label of a hit, or the label itself.
    pub(super) fn label(&self) -> &Self {
        self.source.as_deref().unwrap_or(self)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    pub(super) date: LooseScalar,
    pub(super) r#type: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) name: LooseScalar,
    pub(super) quantity: Bounded<Quantity>,
    pub(super) nested_rows: Bounded<Row>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Quantity {
    pub(super) serving_size_order: LooseScalar,
    #[serde(rename = "quantity")]
    pub(super) number: LooseScalar,
    pub(super) unit: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Other {
    pub(super) text: LooseScalar,
    pub(super) ingredients: Bounded<OtherIngredient>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OtherIngredient {
    pub(super) name: LooseScalar,
}
