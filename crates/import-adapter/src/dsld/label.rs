//! A label as NIH writes it; unused members are omitted.

use crate::json::{Bounded, Loose};
use serde::Deserialize;

/// A label, or a search hit that contains one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Label {
    #[serde(rename = "_source")]
    source: Option<Box<Self>>,
    pub(super) id: Loose,
    pub(super) full_name: Loose,
    pub(super) brand_name: Loose,
    pub(super) upc_sku: Loose,
    pub(super) servings_per_container: Loose,
    pub(super) entry_date: Loose,
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
    pub(super) date: Loose,
    pub(super) r#type: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) name: Loose,
    pub(super) quantity: Bounded<Quantity>,
    pub(super) nested_rows: Bounded<Row>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Quantity {
    pub(super) serving_size_order: Loose,
    #[serde(rename = "quantity")]
    pub(super) number: Loose,
    pub(super) unit: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Other {
    pub(super) text: Loose,
    pub(super) ingredients: Bounded<OtherIngredient>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OtherIngredient {
    pub(super) name: Loose,
}
