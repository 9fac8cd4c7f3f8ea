//! Strict parsing of query strings and form bodies.
//!
//! The usual deserializers accept `%00` and invalid UTF-8, and keep one of several values. Here a known
//! parameter has one valid text value, or the request is rejected (decisions 2 and 5).

mod decode;
mod known;
#[cfg(test)]
mod tests;

pub use decode::{Malformed, Pair, decode_component, parse};
pub(crate) use known::REPEATED_PARAMETER;
pub use known::{Parameter, ParameterError, Parameters, check_value};
