//! The column `ingredients` of a label.

use crate::json;
use application::ports::storage::StorageError;
use domain::supplement::{Amount, Ingredient};
use serde::{Deserialize, Serialize};

/// One ingredient; quantity and unit are present if the label has them.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredIngredient {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    active: bool,
}

impl From<&Ingredient> for StoredIngredient {
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

impl StoredIngredient {
    pub(crate) fn into_ingredient(self) -> Option<Ingredient> {
        let Self { name, quantity, unit, active } = self;
        let amount = quantity.map(|number| Amount::new(number, unit.unwrap_or_default())).transpose();
        Ingredient::new(name, amount.ok()?, active).ok()
    }
}

/// Serializes the ingredients.
pub(crate) fn write_ingredients(ingredients: &[Ingredient]) -> Result<String, StorageError> {
    json::write(&ingredients.iter().map(StoredIngredient::from).collect::<Vec<_>>())
}

/// Parses the ingredients.
pub(crate) fn read_ingredients(json: &str) -> Option<Vec<Ingredient>> {
    let stored: Vec<StoredIngredient> = serde_json::from_str(json).ok()?;
    stored.into_iter().map(StoredIngredient::into_ingredient).collect()
}
