//! Supplement labels.

use super::text::{name, text};
use super::{Ingredient, InvalidText};
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};

/// A validated label: every text is within its length and free of control characters.
///
/// Texts keep the spelling of the label, including spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplementLabel {
    fields: SupplementLabelFields,
}

/// Fields of a label before validation, or after [`SupplementLabel::into_fields`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SupplementLabelFields {
    /// Brand; empty if the label names none. At most 300 characters.
    pub brand: String,
    /// Name of the product, never blank. At most 500 characters.
    pub name: String,
    /// Servings per container as on the label; empty if absent. At most 50 characters.
    pub servings: String,
    /// Product code as on the label; empty if absent. At most 100 characters. Not unique.
    pub upc: String,
    /// Date of the catalogue entry, in the years 0001 to 9999.
    pub entry_date: Option<NaiveDate>,
    /// Ingredients in order: the rows depth first, then the other ingredients (decisions 6). At most 2,000.
    pub ingredients: Vec<Ingredient>,
}

/// Why a label is invalid; never repeats a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLabel {
    /// A text is blank, too long, or contains a control character.
    #[error(transparent)]
    Text(#[from] InvalidText),
    /// A quantity is negative, infinite or not a number.
    #[error("quantity is not a number of 0 or more")]
    Quantity,
    /// A stated amount has the unit that means no amount.
    #[error("unit NP means that no amount is stated")]
    NotPresentUnit,
    /// The entry date lies outside the years 0001 to 9999.
    #[error("entry_date is not in the years 0001 to 9999")]
    EntryDate,
    /// There are more ingredients than allowed.
    #[error("supplement_ingredient has more than {limit} entries")]
    TooManyIngredients {
        /// Maximum number of ingredients.
        limit: usize,
    },
}

impl SupplementLabel {
    /// Maximum length of a brand in characters.
    pub const MAX_BRAND: usize = 300;
    /// Maximum length of a name in characters.
    pub const MAX_NAME: usize = 500;
    /// Maximum length of the servings per container in characters.
    pub const MAX_SERVINGS: usize = 50;
    /// Maximum length of a product code in characters.
    pub const MAX_UPC: usize = 100;
    /// Maximum number of ingredients.
    pub const MAX_INGREDIENTS: usize = 2_000;

    /// Validates the fields of a label against the limits in [`SupplementLabelFields`].
    pub fn new(fields: SupplementLabelFields) -> Result<Self, InvalidLabel> {
        let SupplementLabelFields { brand, name: title, servings, upc, entry_date, ingredients } = fields;
        if entry_date.is_some_and(|date| !(1..=9999).contains(&date.year())) {
            return Err(InvalidLabel::EntryDate);
        }
        if ingredients.len() > Self::MAX_INGREDIENTS {
            return Err(InvalidLabel::TooManyIngredients { limit: Self::MAX_INGREDIENTS });
        }
        let fields = SupplementLabelFields {
            brand: text("brand", brand, Self::MAX_BRAND)?,
            name: name("name", title, Self::MAX_NAME)?,
            servings: text("servings", servings, Self::MAX_SERVINGS)?,
            upc: text("upc", upc, Self::MAX_UPC)?,
            entry_date,
            ingredients,
        };
        Ok(Self { fields })
    }

    /// Returns the brand; empty if the label names none.
    pub fn brand(&self) -> &str {
        &self.fields.brand
    }

    /// Returns the name of the product.
    pub fn name(&self) -> &str {
        &self.fields.name
    }

    /// Returns the servings per container as on the label; empty if absent.
    pub fn servings(&self) -> &str {
        &self.fields.servings
    }

    /// Returns the product code as on the label; empty if absent.
    pub fn upc(&self) -> &str {
        &self.fields.upc
    }

    /// Returns the date of the catalogue entry.
    pub const fn entry_date(&self) -> Option<NaiveDate> {
        self.fields.entry_date
    }

    /// Returns the entry date as the API shows it: at 00:00:00 UTC (decisions 6).
    pub fn entry_instant(&self) -> Option<DateTime<Utc>> {
        self.fields.entry_date.map(|date| date.and_time(NaiveTime::MIN).and_utc())
    }

    /// Returns the ingredients in order.
    pub fn ingredients(&self) -> &[Ingredient] {
        &self.fields.ingredients
    }

    /// Returns the ingredients with the contract's `order`, their position counted from 1.
    pub fn ordered_ingredients(&self) -> impl Iterator<Item = (u32, &Ingredient)> {
        (1..).zip(&self.fields.ingredients)
    }

    /// Splits the label into its fields, so that forgetting one is a compile error.
    pub fn into_fields(self) -> SupplementLabelFields {
        self.fields
    }
}

/// Effect of reading a label with a known key on the stored version.
///
/// Every version that a log refers to keeps its supplement id, so that the intake never changes afterwards
/// (formats, rules of import).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelChange {
    /// The label is unchanged; nothing is written.
    Unchanged,
    /// No log refers to the version: the new label replaces it under the same id.
    UpdateInPlace,
    /// A log refers to the version: it stays, and the new label becomes the current version of the key with a
    /// new id.
    NewVersion,
}

impl LabelChange {
    /// Compares the stored version with the one that was read; `has_logs` reports whether any log refers to
    /// the stored one.
    pub fn between(kept: &SupplementLabel, read: &SupplementLabel, has_logs: bool) -> Self {
        if kept == read {
            Self::Unchanged
        } else if has_logs {
            Self::NewVersion
        } else {
            Self::UpdateInPlace
        }
    }
}

#[cfg(test)]
mod tests;
