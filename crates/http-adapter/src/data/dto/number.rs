//! JSON numbers.

use domain::sleep::MetricValue;
use serde::{Serialize, Serializer};

/// Number that is printed without a fraction if it is whole: 60, not 60.0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
}

impl Number {
    /// Converts a binary64 number; whole ones of up to fifteen digits become integers.
    pub fn from_f64(number: f64) -> Self {
        let whole = MetricValue::from_f64(number).and_then(MetricValue::as_integer);
        whole.map_or(Self::Real(number), Self::Integer)
    }
}

impl From<MetricValue> for Number {
    fn from(value: MetricValue) -> Self {
        value.as_integer().map_or_else(|| Self::Real(value.as_f64()), Self::Integer)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Integer(number) => serializer.serialize_i64(number),
            Self::Real(number) => serializer.serialize_f64(number),
        }
    }
}
