//! Erasure: deletes everything stored about a user in one transaction, and keeps a receipt.

mod erase_person;
pub(crate) mod receipt;

pub use erase_person::*;
pub use receipt::*;

#[cfg(test)]
mod tests;
