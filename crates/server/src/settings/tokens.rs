//! The section `tokens`.

use super::problem::Problem;
use super::section::section;
use application::token::AuthenticationLimits;

section! {
    /// How clients prove who they are, and how long what is known of a token is remembered.
    TokenSettings("tokens") {
        /// Whether client secrets, codes and refresh tokens may come in a query string, as the contract allows.
        /// `false` refuses them for every client; a single client is switched with `restwell client update`.
        allow_query_secrets: bool = Some("true"), "true or false", "false";
        /// Failed authentications of one client from one address that are answered before it has to wait.
        failures_per_client_and_address: u32 = Some("20"), "failures, 1 to 1000000", "20";
        /// Failed authentications of any client from one address (IPv6: its /64) before it has to wait.
        failures_per_address: u32 = Some("100"), "failures, 1 to 1000000", "100";
        /// The window in which failures are counted.
        failure_window_seconds: u32 = Some("600"), "seconds, 1 to 86400", "600";
        /// How long it is remembered that a grant is live; 0 asks the store every time. A revocation is seen
        /// everywhere after at most this time.
        access_cache_milliseconds: u32 = Some("1000"), "milliseconds, 0 to 1000", "0";
    }
}

impl TokenSettings {
    /// Returns the limits against guessing.
    pub(crate) const fn authentication_limits(&self) -> AuthenticationLimits {
        AuthenticationLimits {
            per_client_and_address: self.failures_per_client_and_address,
            per_address: self.failures_per_address,
            window_seconds: self.failure_window_seconds,
        }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let pair = self.failures_per_client_and_address;
        [
            Problem::unless_within("tokens.failures_per_client_and_address", pair, 1..=1_000_000),
            Problem::unless_within("tokens.failures_per_address", self.failures_per_address, 1..=1_000_000),
            Problem::unless_within("tokens.failure_window_seconds", self.failure_window_seconds, 1..=86_400),
            Problem::unless_within(
                "tokens.access_cache_milliseconds",
                self.access_cache_milliseconds,
                0..=1000,
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
