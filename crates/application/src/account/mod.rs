//! Accounts: sign-in, sign-out, and choosing and changing passwords.
//!
//! Every password check goes through `password_check.rs`. This applies the limits on guessing, the single
//! hash and the uniform error (security.md T80 to T82) everywhere. No unit of work is open while a password
//! is hashed.

mod attempt_counters;
mod new_password;
pub(crate) mod open_session;
mod password;
mod password_change;
mod password_check;
mod password_link;
mod person;
mod second_step;
mod sessions;
mod sign_in;

pub use crate::ports::storage::PendingSignInWithEmail;
pub use crate::ports::system::PasswordHashingError;
pub(crate) use attempt_counters::address_counter;
pub use new_password::*;
pub(crate) use open_session::{ProvenPerson, open_session};
pub use open_session::{SignInOrigin, SignedIn};
pub use password::*;
pub use password_check::*;
pub use password_link::*;
pub use person::*;
pub use second_step::SecondStepError;
pub use sessions::*;
pub use sign_in::*;

#[cfg(test)]
mod tests;
