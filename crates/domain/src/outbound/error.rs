//! Why a request got no response.

crate::named_enum! {
    /// Why there is no response. The names are stored in delivery logs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
    pub enum OutboundError {
        /// The URL, or an address of its host, is not allowed by the policy.
        #[error("the address is not allowed")]
        Forbidden = "forbidden",
        /// The host's name has no address.
        #[error("the host was not found")]
        NotFound = "not_found",
        /// No connection.
        #[error("the host did not accept the connection")]
        Unreachable = "unreachable",
        /// The TLS handshake failed; often a certificate that is not trusted.
        #[error("no TLS connection: the certificate is not accepted, or the host does not speak TLS")]
        Tls = "tls",
        /// The connection closed before the response ended, or the response was not HTTP/1.
        #[error("the host closed the connection or sent no valid response")]
        Broken = "broken",
        /// No response in time.
        #[error("the host did not respond in time")]
        TimedOut = "timed_out",
    }
}
