//! The document against the code, and the reference against the outside.

mod document;
mod reference;
