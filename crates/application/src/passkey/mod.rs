//! Passkeys: adding, using, naming and removing them.
//!
//! Every ceremony begins with a challenge that is stored as a hash, works once and expires after five minutes
//! ([`BeginPasskeyCeremony`]). The checks are those of `domain::passkey`.

mod add_passkey;
mod begin_passkey_ceremony;
mod list_passkeys;
mod remove_passkey;
mod rename_passkey;
mod response;
mod sign_in_with_passkey;

#[cfg(test)]
mod tests;

pub use add_passkey::*;
pub use begin_passkey_ceremony::*;
pub use list_passkeys::*;
pub use remove_passkey::*;
pub use rename_passkey::*;
pub use sign_in_with_passkey::*;
