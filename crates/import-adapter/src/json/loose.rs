//! Members that some writers give as numbers and others as texts.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Largest whole number up to which binary64 has no gaps.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A scalar of any type.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum LooseScalar {
    /// Absent or `null`.
    #[default]
    Absent,
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
    /// A list or an object.
    Nested,
}

impl LooseScalar {
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns whether the scalar is absent or a blank text.
    pub(crate) fn is_blank(&self) -> bool {
        self.is_absent() || self.as_str().is_some_and(|text| text.trim().is_empty())
    }

    /// Returns the text, if it is one.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a word of the maker in lower case: versions of a format differ in it.
    pub(crate) fn word(&self) -> Option<String> {
        self.as_str().map(|text| text.trim().to_ascii_lowercase())
    }

    /// Returns the flag, if it is one.
    pub(crate) const fn as_flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// Returns a finite number, also from a text.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "amounts and minutes, not identifiers")]
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Absent | Self::Flag(_) | Self::Nested => None,
        }
    }

    /// Returns a text, or a number printed without an exponent; `None` otherwise.
    pub(crate) fn printed(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Integer(number) => Some(number.to_string()),
            Self::Real(number) => Some(number.to_string()),
            Self::Absent | Self::Flag(_) | Self::Nested => None,
        }
    }

    /// Returns an identifier: a whole number or a non-blank text; `None` otherwise.
    pub(crate) fn identifier(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Self::Real(number) if number.fract() != 0.0 || number.abs() >= LARGEST_EXACT => None,
            other => other.printed(),
        }
    }
}

impl<'de> Deserialize<'de> for LooseScalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar)
    }
}

struct Scalar;

impl<'de> Visitor<'de> for Scalar {
    type Value = LooseScalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<LooseScalar, E> {
        Ok(LooseScalar::Absent)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<LooseScalar, E> {
        Ok(LooseScalar::Flag(flag))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<LooseScalar, E> {
        Ok(LooseScalar::Integer(i128::from(number)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<LooseScalar, E> {
        Ok(LooseScalar::Integer(i128::from(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<LooseScalar, E> {
        Ok(if number.is_finite() { LooseScalar::Real(number) } else { LooseScalar::Nested })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LooseScalar, E> {
        Ok(LooseScalar::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<LooseScalar, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LooseScalar::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<LooseScalar, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(LooseScalar::Nested)
    }
}
