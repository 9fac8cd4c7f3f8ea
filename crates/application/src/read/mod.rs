//! Reads a user's data after access was authorized.

pub(crate) mod change_page;
mod read_changes;
mod read_intake;
mod read_profile;
mod read_sleep;
mod read_supplements;
pub(crate) mod sleep_page;
pub(crate) mod supplement_page;

pub use change_page::*;
pub use read_changes::*;
pub use read_intake::*;
pub use read_profile::*;
pub use read_sleep::*;
pub use read_supplements::*;
pub use sleep_page::*;
pub use supplement_page::*;

#[cfg(test)]
mod tests;
