//! Checks the document against the code, and the pages of the reference.

mod document;
mod reference;
