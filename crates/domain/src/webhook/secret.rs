//! Secrets that sign messages.

use crate::secret::{SecretBytes, hide_in_debug};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// Secret of an endpoint, known to its receiver and to Restwell. Never printed.
pub struct WebhookSecret(SecretBytes);

impl WebhookSecret {
    /// Wraps 32 random bytes.
    pub const fn new(bytes: SecretBytes) -> Self {
        Self(bytes)
    }

    /// Returns the bytes that sign.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Returns the text for the one response that shows it: `whsec_` and base64.
    pub fn expose(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(64));
        text.push_str("whsec_");
        STANDARD.encode_string(self.as_bytes(), &mut text);
        text
    }
}

hide_in_debug!(WebhookSecret);

#[cfg(test)]
mod tests {
    use super::*;

    /// Standard Webhooks, Signature scheme.
    #[test]
    fn a_secret_is_shown_as_base64_after_its_prefix_and_never_by_debug() {
        let secret = WebhookSecret::new(SecretBytes::new([0xff; 32]));
        assert_eq!(secret.expose().as_str(), "whsec_//////////////////////////////////////////8=");
        assert_eq!(format!("{secret:?}"), "WebhookSecret(..)");
    }
}
