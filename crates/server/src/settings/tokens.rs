//! The section `tokens`.

use super::section::section;
use application::token::AuthenticationLimits;

section! {
    /// Client authentication and token checks.
    TokenSettings("tokens") {
        /// Whether secrets, codes and refresh tokens may be sent in a query string, as the contract allows.
        /// `restwell client update` decides for a single client.
        allow_query_secrets: bool = Some("true"), "true or false", "false";
        /// Failed authentications per client and address within the window; then 429.
        failures_per_client_and_address: u32 = Some("20"), "failures" in 1..=1_000_000, "20";
        /// Failed authentications per address (IPv6: per /64) within the window; then 429.
        failures_per_address: u32 = Some("100"), "failures" in 1..=1_000_000, "100";
        /// Length of the window of these limits.
        failure_window_seconds: u32 = Some("600"), "seconds" in 1..=86_400, "600";
        /// How long a grant is assumed live without asking the store; 0 means always ask. A revocation takes
        /// effect everywhere within this time.
        access_cache_milliseconds: u32 = Some("1000"), "milliseconds" in 0..=1000, "0";
    }
}

impl TokenSettings {
    /// Returns the limits on failed authentications.
    pub(crate) const fn authentication_limits(&self) -> AuthenticationLimits {
        AuthenticationLimits {
            per_client_and_address: self.failures_per_client_and_address,
            per_address: self.failures_per_address,
            window_seconds: self.failure_window_seconds,
        }
    }
}
