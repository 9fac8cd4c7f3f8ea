//! A person's profile: shown to them, and changed by them.

mod change_profile;
mod show_profile;
#[cfg(test)]
mod tests;

pub use change_profile::*;
pub use show_profile::*;
