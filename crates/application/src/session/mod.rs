//! Sessions of browsers, who is signed in, and limits on guessing.

mod attempt_counters;
mod open_session;
mod person;
mod sessions;

pub use attempt_counters::SignInLimits;
pub(crate) use attempt_counters::{AttemptCounters, account_counters, address_counter, second_step_counters};
pub(crate) use open_session::{ProvenPerson, end_pending, open_session, store_session};
pub use open_session::{SignInOrigin, SignedIn};
pub use person::*;
pub use sessions::*;
