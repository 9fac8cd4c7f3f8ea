//! Erasing people: everything that is kept of one goes, in one transaction; a receipt stays.

mod erase_person;

pub use erase_person::*;

#[cfg(test)]
mod tests;
