//! The operator's key that seals private signing keys (decisions 3: `keys.encryption_key`).

mod file;

pub use file::{KeyFileError, exposed_mode};

use crate::entropy;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

/// Prefix by which people and secret scanners recognise an encryption key, like `rwc_`, `rwr_`, `rws_` and
/// `rwp_`.
const PREFIX: &str = "rwk_";

/// A text is not an encryption key. The text is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an encryption key is rwk_ followed by 43 characters of base64url, as printed by `restwell key generate`"
)]
pub struct InvalidEncryptionKey;

/// A 256-bit key; wiped when dropped and never printed.
///
/// Its text form is `rwk_` and the 32 bytes in base64url without padding (RFC 4648 section 5).
#[derive(Clone)]
pub struct EncryptionKey(Zeroizing<[u8; 32]>);

impl EncryptionKey {
    /// Generates a random key.
    pub fn generate() -> Self {
        Self(Zeroizing::new(entropy::draw()))
    }

    /// Parses the text form from a setting or a file; one trailing line end is allowed.
    pub fn parse(text: &str) -> Result<Self, InvalidEncryptionKey> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let encoded = line.strip_prefix(PREFIX).ok_or(InvalidEncryptionKey)?;
        let decoded =
            URL_SAFE_NO_PAD.decode(encoded).map(Zeroizing::new).map_err(|_| InvalidEncryptionKey)?;
        let bytes: [u8; 32] = decoded.as_slice().try_into().map_err(|_| InvalidEncryptionKey)?;
        Ok(Self(Zeroizing::new(bytes)))
    }

    /// Reads the key from a file; if there is none, generates a key and creates the file with mode 0600.
    ///
    /// The file appears complete or not at all, and concurrent processes all return the same key. A file that
    /// group or others may access is rejected. The folder must exist.
    pub fn load_or_create_file(path: &Path) -> Result<Self, KeyFileError> {
        file::load_or_create(path)
    }

    /// Returns the text form, to show or write it.
    pub fn expose(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(48));
        text.push_str(PREFIX);
        URL_SAFE_NO_PAD.encode_string(self.as_bytes(), &mut text);
        text
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_generated_key_reads_back_with_and_without_a_line_end() {
        let key = EncryptionKey::generate();
        let text = key.expose();
        assert_eq!(text.len(), 47);
        for end in ["", "\n", "\r\n"] {
            let read = EncryptionKey::parse(&format!("{}{end}", text.as_str())).unwrap();
            assert_eq!(read.as_bytes(), key.as_bytes());
        }
    }

    #[test]
    fn two_generated_keys_differ() {
        assert_ne!(EncryptionKey::generate().as_bytes(), EncryptionKey::generate().as_bytes());
    }

    #[test]
    fn a_text_of_another_form_is_refused() {
        let good = EncryptionKey::generate().expose().to_string();
        let bare = good.trim_start_matches(PREFIX);
        for text in [
            String::new(),
            PREFIX.to_owned(),
            bare.to_owned(),
            format!("rws_{bare}"),
            format!(" {good}"),
            format!("{good}\n\n"),
            format!("{good}="),
            format!("{good}A"),
            good.split_at(46).0.to_owned(),
            format!("{}!", good.split_at(46).0),
        ] {
            assert_eq!(EncryptionKey::parse(&text).err(), Some(InvalidEncryptionKey), "{text:?}");
        }
    }

    #[test]
    fn neither_debug_output_nor_the_error_shows_a_key() {
        assert_eq!(format!("{:?}", EncryptionKey::generate()), "EncryptionKey(..)");
        let error = EncryptionKey::parse("rwk_LEAKME123").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("LEAKME123"));
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_text_never_panics(text in "(rwk_)?.{0,60}") {
            let _ = EncryptionKey::parse(&text);
        }
    }
}
