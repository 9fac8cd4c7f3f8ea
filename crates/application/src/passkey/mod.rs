//! Passkeys: adding, using, confirming, naming and removing them.
//!
//! Every ceremony begins with a challenge that is stored as a hash, works once and expires after five minutes
//! ([`BeginPasskeyCeremony`]). The checks are those of `domain::passkey`.

mod add_passkey;
mod assertion;
mod begin_passkey_ceremony;
mod confirm_passkey;
mod list_passkeys;
mod remove_passkey;
mod remove_passkeys;
mod rename_passkey;
mod response;
mod sign_in_with_passkey;

#[cfg(test)]
mod tests;

pub use add_passkey::*;
pub use assertion::PasskeyAnswer;
pub use begin_passkey_ceremony::*;
pub use confirm_passkey::*;
pub use list_passkeys::*;
pub use remove_passkey::*;
pub use remove_passkeys::{RemoveAllPasskeys, RemoveAllPasskeysError};
pub(crate) use remove_passkeys::{lacks_factor, remove_all_passkeys, remove_passkeys_except};
pub use rename_passkey::*;
pub use sign_in_with_passkey::*;
