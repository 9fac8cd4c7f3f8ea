//! A person's own nights: listing them by date, and finding one with its origin.

mod find_night;
mod list_nights;
#[cfg(test)]
mod tests;

pub use find_night::*;
pub use list_nights::*;
