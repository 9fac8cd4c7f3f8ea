//! Accounts: sign-in, sign-out, and choosing and changing passwords.
//!
//! Every password check goes through `password_check.rs`. This applies the limits on guessing, the single
//! hash and the uniform error (security.md T80 to T82) everywhere. No unit of work is open while a password
//! is hashed.

mod new_password;
mod password;
mod password_change;
mod password_check;
mod password_link;
mod second_step;
mod sign_in;

pub use crate::ports::storage::PendingSignInWithEmail;
pub use crate::ports::system::PasswordHashingError;
pub use new_password::*;
pub use password::*;
pub use password_check::*;
pub use password_link::*;
pub use second_step::SecondStepError;
pub use sign_in::*;

#[cfg(test)]
mod tests;
