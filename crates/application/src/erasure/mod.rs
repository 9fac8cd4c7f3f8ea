//! Erasing people: everything that is kept of one goes, in one transaction; a receipt stays.

mod erase_person;
pub(crate) mod receipt;

pub use erase_person::*;
pub use receipt::*;

#[cfg(test)]
mod tests;
