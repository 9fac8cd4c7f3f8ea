//! The section `outbound`.

use super::section::section;

section! {
    /// Requests to hosts that apps and operators chose, such as webhooks and client metadata documents.
    OutboundSettings("outbound") {
        /// Whether hosts on private networks (RFC 1918, RFC 4193) may be called, such as a receiver at home:
        /// for webhook endpoints that the operator created, or approved with their app. A server whose public
        /// URL is on loopback may call its own machine in any case.
        allow_private_networks: bool = Some("false"), "true or false", "true";
    }
}
