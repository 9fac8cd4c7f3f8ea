//! Parameters of query strings and form bodies, read strictly.
//!
//! The usual deserialisers let `%00` and broken UTF-8 through and keep one of several values; here a known
//! parameter has one value that is proper text, or the request is refused (decisions 2 and 5).

mod decode;
mod known;
#[cfg(test)]
mod tests;

pub use decode::{Malformed, Pair, decode_component, parse};
pub(crate) use known::GIVEN_TWICE;
pub use known::{Parameter, ParameterError, Parameters, check_value};
