//! One line of a label's list of ingredients.

use super::InvalidLabel;
use super::text::{name, text};

/// Ingredient as a label lists it; its place in the list is the contract's `order`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingredient {
    name: String,
    amount: Option<Amount>,
    active: bool,
}

impl Ingredient {
    /// The most characters of a name.
    pub const MAX_NAME: usize = 500;

    /// Makes an ingredient; no `amount` when the label states none, `active` false for what only carries
    /// the others (decisions 6).
    ///
    /// The name may not be blank, hold control characters or exceed 500 characters.
    pub fn new(ingredient_name: String, amount: Option<Amount>, active: bool) -> Result<Self, InvalidLabel> {
        let name = name("ingredient_name", ingredient_name, Self::MAX_NAME)?;
        Ok(Self { name, amount, active })
    }

    /// Returns the name as the label spells it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the amount in one serving, or `None` when the label states none.
    pub const fn amount(&self) -> Option<&Amount> {
        self.amount.as_ref()
    }

    /// Says whether the ingredient is an active one.
    pub const fn is_active(&self) -> bool {
        self.active
    }

    /// Takes the ingredient apart: name, amount, active.
    pub fn into_parts(self) -> (String, Option<Amount>, bool) {
        (self.name, self.amount, self.active)
    }
}

/// Quantity of an ingredient with the unit that the label prints, such as 400 `mcg DFE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    quantity: f64,
    unit: String,
}

/// The quantity is finite, so equality is total.
impl Eq for Amount {}

impl Amount {
    /// The most characters of a unit.
    pub const MAX_UNIT: usize = 60;

    /// The unit by which NIH prints that a label gives no amount (decisions 6); no amount ever has it.
    pub const NOT_PRESENT: &'static str = "NP";

    /// Makes a stated amount: a finite quantity of 0 or more, a unit of at most 60 characters (which may
    /// be empty) other than `NP`.
    pub fn new(quantity: f64, unit: String) -> Result<Self, InvalidLabel> {
        match Self::from_label(quantity, unit)? {
            Some(amount) => Ok(amount),
            None => Err(InvalidLabel::NotPresentUnit),
        }
    }

    /// Reads quantity and unit as NIH and the API write them: the unit `NP` is no amount, whatever
    /// quantity stands beside it; anything else is as in [`Amount::new`].
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

    /// Returns the quantity in one serving, in [`Amount::unit`]; finite, 0 or more.
    pub const fn quantity(&self) -> f64 {
        self.quantity
    }

    /// Returns the unit as the label spells it; "" when it names none.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Takes the amount apart: quantity, unit.
    pub fn into_parts(self) -> (f64, String) {
        (self.quantity, self.unit)
    }
}

#[cfg(test)]
mod tests;
