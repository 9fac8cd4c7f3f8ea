//! Reads a user's data after access was authorized.

mod read_changes;
mod read_intake;
mod read_profile;
mod read_sleep;
mod read_supplements;

pub use crate::model::change_page::*;
pub use crate::model::sleep_page::*;
pub use crate::model::supplement_page::*;
pub use read_changes::*;
pub use read_intake::*;
pub use read_profile::*;
pub use read_sleep::*;
pub use read_supplements::*;

#[cfg(test)]
mod tests;
