//! Reads a user's data after access was authorized.

mod read_changes;
mod read_intake;
mod read_records;

pub use crate::model::change_page::*;
pub use crate::model::sleep_page::*;
pub use crate::model::supplement_page::*;
pub use read_changes::*;
pub use read_intake::*;
pub use read_records::*;

#[cfg(test)]
mod tests;
