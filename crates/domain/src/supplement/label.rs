//! What the label of a supplement says.

use super::text::{name, text};
use super::{Ingredient, InvalidText};
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};

/// Label of a supplement, checked: every text within its length and free of control characters.
///
/// Texts keep the label's own spelling, spaces included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplementLabel {
    fields: SupplementLabelFields,
}

/// Parts of a label before they are checked, and after a label is taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SupplementLabelFields {
    /// Brand; "" when the label names none. At most 300 characters.
    pub brand: String,
    /// Name of the product, never blank. At most 500 characters.
    pub name: String,
    /// Servings per container, in the label's words; "" when absent. At most 50 characters.
    pub servings: String,
    /// Product code in the label's own spelling; "" when absent. At most 100 characters. Not unique.
    pub upc: String,
    /// Day on which the label's catalogue entered it, in the years 0001 to 9999.
    pub entry_date: Option<NaiveDate>,
    /// The ingredients in order: the rows depth first, then the other ingredients (decisions 6). At most
    /// 2,000.
    pub ingredients: Vec<Ingredient>,
}

/// Says why a label is refused; the text never repeats a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLabel {
    /// A text is blank, too long, or holds a control character.
    #[error(transparent)]
    Text(#[from] InvalidText),
    /// A quantity is negative, infinite or not a number.
    #[error("quantity is not a number of 0 or more")]
    Quantity,
    /// A stated amount has the unit that says that none is stated.
    #[error("unit NP says that no amount is stated")]
    NotPresentUnit,
    /// The entry date lies outside the years 0001 to 9999.
    #[error("entry_date is not in the years 0001 to 9999")]
    EntryDate,
    /// There are more ingredients than allowed.
    #[error("supplement_ingredient has more than {limit} entries")]
    TooManyIngredients {
        /// The most ingredients allowed.
        limit: usize,
    },
}

impl SupplementLabel {
    /// The most characters of a brand.
    pub const MAX_BRAND: usize = 300;
    /// The most characters of a name.
    pub const MAX_NAME: usize = 500;
    /// The most characters of the servings per container.
    pub const MAX_SERVINGS: usize = 50;
    /// The most characters of a product code.
    pub const MAX_UPC: usize = 100;
    /// The most ingredients of a label.
    pub const MAX_INGREDIENTS: usize = 2_000;

    /// Checks the parts of a label; the limits stand on [`SupplementLabelFields`].
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

    /// Returns the brand; "" when the label names none.
    pub fn brand(&self) -> &str {
        &self.fields.brand
    }

    /// Returns the name of the product.
    pub fn name(&self) -> &str {
        &self.fields.name
    }

    /// Returns the servings per container in the label's words; "" when absent.
    pub fn servings(&self) -> &str {
        &self.fields.servings
    }

    /// Returns the product code in the label's own spelling; "" when absent.
    pub fn upc(&self) -> &str {
        &self.fields.upc
    }

    /// Returns the day on which the label's catalogue entered it.
    pub const fn entry_date(&self) -> Option<NaiveDate> {
        self.fields.entry_date
    }

    /// Returns the label's entry date as the API shows it: at 00:00:00 UTC (decisions 6).
    pub fn entry_instant(&self) -> Option<DateTime<Utc>> {
        self.fields.entry_date.map(|date| date.and_time(NaiveTime::MIN).and_utc())
    }

    /// Returns the ingredients in order.
    pub fn ingredients(&self) -> &[Ingredient] {
        &self.fields.ingredients
    }

    /// Returns the ingredients with the contract's `order`, which is their place counted from 1.
    pub fn ordered_ingredients(&self) -> impl Iterator<Item = (u32, &Ingredient)> {
        (1..).zip(&self.fields.ingredients)
    }

    /// Takes the label apart, so that a caller who forgets a field does not compile.
    pub fn into_fields(self) -> SupplementLabelFields {
        self.fields
    }
}

#[cfg(test)]
mod tests;
