//! A person's own nights: listed by date, one with its origin, deleted.

mod delete_night;
mod find_night;
mod list_nights;
#[cfg(test)]
mod tests;

pub use delete_night::*;
pub use find_night::*;
pub use list_nights::*;
