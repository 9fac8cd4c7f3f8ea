//! Reading a person's data, after access was authorized.

mod read_changes;
mod read_profile;
mod read_sleep;
mod read_supplements;

pub use read_changes::*;
pub use read_profile::*;
pub use read_sleep::*;
pub use read_supplements::*;

#[cfg(test)]
mod tests;
