//! Strict parsing of query strings and form bodies.
//!
//! The usual deserializers accept `%00` and invalid UTF-8, and keep one of several values. Here a known
//! parameter has one valid text value, or the request is rejected (decisions 2 and 5).

mod decode;
#[cfg(test)]
mod tests;

pub use decode::{Malformed, Pair, decode_component, parse};

use crate::problem::{Fault, FieldError, Problem};
use std::borrow::Cow;

/// Known parameter in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// The parameter's name.
    pub name: &'static str,
    /// The decoded value: not empty, without control characters.
    pub value: Cow<'a, str>,
    /// The `name=value` pair as sent, not decoded.
    pub raw: &'a str,
}

/// Reason for rejecting parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterError {
    /// The text cannot be split into parameters.
    Malformed(Malformed),
    /// Known parameters are repeated, empty or contain control characters.
    Fields(Vec<FieldError>),
}

impl From<ParameterError> for Problem {
    fn from(error: ParameterError) -> Self {
        match error {
            ParameterError::Malformed(malformed) => {
                Self::new(Fault::InvalidRequest).detail(malformed.to_string())
            }
            ParameterError::Fields(fields) => Self::invalid_parameters(fields),
        }
    }
}

/// Known parameters of a query string, in the order sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameters<'a>(Vec<Parameter<'a>>);

impl<'a> Parameters<'a> {
    /// Parses a query string or form body. Unknown names are ignored; names are case-sensitive. Reports every
    /// invalid field once.
    pub fn read(text: &'a str, known: &[&'static str]) -> Result<Self, ParameterError> {
        Self::among(parse(text).map_err(ParameterError::Malformed)?, known)
    }

    /// Selects the known parameters of these pairs, as [`Parameters::read`] does.
    pub(crate) fn among(pairs: Vec<Pair<'a>>, known: &[&'static str]) -> Result<Self, ParameterError> {
        let mut parameters: Vec<Parameter<'a>> = Vec::new();
        let mut errors: Vec<FieldError> = Vec::new();
        for pair in pairs {
            let Some(name) = known.iter().copied().find(|name| *name == pair.name) else { continue };
            let repeated = parameters.iter().any(|earlier| earlier.name == name);
            let fault = if repeated { Some(REPEATED_PARAMETER) } else { check_value(&pair.value).err() };
            parameters.push(Parameter { name, value: pair.value, raw: pair.raw });
            if let Some(message) = fault.filter(|_| errors.iter().all(|error| error.field != name)) {
                errors.push(FieldError::new(name, message));
            }
        }
        if errors.is_empty() { Ok(Self(parameters)) } else { Err(ParameterError::Fields(errors)) }
    }

    /// Returns a parameter's decoded value; `None` if it is absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value.as_ref())
    }

    /// Lists the parameters in the order sent.
    pub fn iter(&self) -> impl Iterator<Item = &Parameter<'a>> {
        self.0.iter()
    }
}

/// Error message for a repeated parameter.
pub(crate) const REPEATED_PARAMETER: &str = "must be given at most once";

/// Validates a known parameter's value: not empty, no C0 control (a NUL would reach the store).
pub fn check_value(value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        Err("must not be empty")
    } else if value.chars().any(|character| character < ' ') {
        Err("must not contain control characters")
    } else {
        Ok(())
    }
}
