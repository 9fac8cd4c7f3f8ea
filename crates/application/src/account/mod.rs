//! Accounts: sign-in, sign-out, and choosing and changing passwords.
//!
//! Every password check goes through `password_check.rs`. This applies the limits on guessing, the single
//! hash and the uniform error (security.md T80 to T82) everywhere. No unit of work is open while a password
//! is hashed.

mod attempt_counters;
mod change_password;
mod choose_password;
mod complete_sign_in;
mod confirm_email_change;
mod find_password_link;
mod find_pending_sign_in;
pub(crate) mod hashing_error;
mod issue_password_link;
mod kept_forms;
mod link_request;
mod new_password;
pub(crate) mod open_session;
mod password_change;
mod password_check;
mod person;
mod request_email_change;
mod request_password_reset;
mod request_sign_up;
mod second_step;
mod sessions;
mod set_password;
mod set_up_sign_in;
mod sign_in;

pub(crate) use attempt_counters::address_counter;
pub use change_password::*;
pub use choose_password::*;
pub use complete_sign_in::*;
pub use confirm_email_change::*;
pub use find_password_link::*;
pub use find_pending_sign_in::*;
pub use hashing_error::PasswordHashingError;
pub use issue_password_link::*;
pub use kept_forms::*;
pub use link_request::*;
pub use new_password::*;
pub(crate) use open_session::{ProvenPerson, open_session};
pub use open_session::{SignInOrigin, SignedIn};
pub use password_check::*;
pub use person::*;
pub use request_email_change::*;
pub use request_password_reset::*;
pub use request_sign_up::*;
pub use second_step::{SecondStepError, SecondStepPorts};
pub use sessions::*;
pub use set_password::*;
pub use set_up_sign_in::*;
pub use sign_in::*;

#[cfg(test)]
mod tests;
