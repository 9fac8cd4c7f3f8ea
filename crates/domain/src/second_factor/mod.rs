//! The second factor of a sign-in: one-time codes of an authenticator app, and recovery codes.

mod recovery_code;
mod totp;

pub use recovery_code::*;
pub use totp::*;

crate::named_enum! {
    /// The operator's policy on second factors.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SecondFactorPolicy {
        /// People decide for themselves.
        #[default]
        Optional = "optional",
        /// A session needs a second factor; people without one set it up as they sign in.
        Required = "required",
    }
}
