//! Second factors: setting up an authenticator app, replacing recovery codes, turning the factor off.
//!
//! Every change needs a fresh session that still exists, ends the person's other sessions and pending
//! sign-ins, is recorded, and is emailed. Grants of apps and personal access tokens keep working.

mod begin_set_up;
mod change;
mod find_second_factor;
mod replace_recovery_codes;
mod reset_second_factor;
mod set_up;
mod turn_off_second_factor;
mod turn_on_second_factor;

pub use begin_set_up::*;
pub use change::{SecondFactorChange, SecondFactorChangeError, SecondFactorPorts};
pub use find_second_factor::*;
pub use replace_recovery_codes::*;
pub use reset_second_factor::*;
pub use set_up::SetUpError;
pub(crate) use set_up::{accepted_step, report_turned_on, turn_on, verify_set_up};
pub use turn_off_second_factor::*;
pub use turn_on_second_factor::*;

#[cfg(test)]
mod tests;
