//! A line of a label's ingredient list.

use super::InvalidLabel;
use super::text::{name, text};

/// Ingredient of a label; its position in the list is the contract's `order`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingredient {
    name: String,
    amount: Option<Amount>,
    active: bool,
}

impl Ingredient {
    /// Maximum length of a name in characters.
    pub const MAX_NAME: usize = 500;

    /// Creates an ingredient without `amount` if the label states none; `active` is false for carriers
    /// (decisions 6).
    ///
    /// The name must not be blank, contain control characters or exceed 500 characters.
    pub fn new(ingredient_name: String, amount: Option<Amount>, active: bool) -> Result<Self, InvalidLabel> {
        let name = name("ingredient_name", ingredient_name, Self::MAX_NAME)?;
        Ok(Self { name, amount, active })
    }

    /// Returns the name as the label spells it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the amount per serving; `None` if the label states none.
    pub const fn amount(&self) -> Option<&Amount> {
        self.amount.as_ref()
    }

    /// Returns whether this is an active ingredient.
    pub const fn is_active(&self) -> bool {
        self.active
    }
}

/// Quantity of an ingredient with the unit on the label, such as 400 `mcg DFE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    quantity: f64,
    unit: String,
}

/// The quantity is finite, so equality is total.
impl Eq for Amount {}

impl Amount {
    /// Maximum length of a unit in characters.
    pub const MAX_UNIT: usize = 60;

    /// Unit that NIH uses if the label states no amount (decisions 6); not a valid unit of an amount.
    pub const NOT_PRESENT: &'static str = "NP";

    /// Creates an amount: a finite quantity of 0 or more and a unit of at most 60 characters (may be empty)
    /// other than `NP`.
    pub fn new(quantity: f64, unit: String) -> Result<Self, InvalidLabel> {
        match Self::from_label(quantity, unit)? {
            Some(amount) => Ok(amount),
            None => Err(InvalidLabel::NotPresentUnit),
        }
    }

    /// Parses quantity and unit as in NIH data and the API: the unit `NP` means no amount; anything else is
    /// as in [`Amount::new`].
    pub fn from_label(quantity: f64, unit: String) -> Result<Option<Self>, InvalidLabel> {
        if !quantity.is_finite() || quantity < 0.0 {
            return Err(InvalidLabel::Quantity);
        }
        if unit == Self::NOT_PRESENT {
            return Ok(None);
        }
        let unit = text("unit", unit, Self::MAX_UNIT)?;
        // A negative zero would be printed with its sign.
        Ok(Some(Self { quantity: quantity.abs(), unit }))
    }

    /// Returns the quantity per serving in [`Amount::unit`]; finite, 0 or more.
    pub const fn quantity(&self) -> f64 {
        self.quantity
    }

    /// Returns the unit as spelled on the label; may be empty.
    pub fn unit(&self) -> &str {
        &self.unit
    }
}

#[cfg(test)]
mod tests;
