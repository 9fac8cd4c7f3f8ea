//! Time-based one-time codes (RFC 6238, with the parameters that every authenticator app reads: SHA-1, six
//! digits, 30 seconds).

use crate::secret::{SecretBytes, hide_in_debug};
use chrono::{DateTime, Utc};
use std::fmt::Write as _;
use zeroize::Zeroizing;

/// Length of a step in seconds.
const STEP_SECONDS: i64 = 30;
/// Number of digits of a code.
const DIGITS: usize = 6;
/// Bytes of a secret: the length of the hash (RFC 4226 section 4, requirement R6).
pub const SECRET_BYTES: usize = 20;
/// Alphabet of base32 (RFC 4648 section 6).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The 160-bit secret that an app shares with the server; wiped on drop and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(Zeroizing<[u8; SECRET_BYTES]>);

impl TotpSecret {
    /// Wraps the bytes of a secret.
    pub fn new(bytes: [u8; SECRET_BYTES]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Creates a secret from random bytes.
    pub fn from_bytes(bytes: &SecretBytes) -> Self {
        let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _] = bytes.as_bytes();
        Self::new(*first)
    }

    /// Returns the bytes, for sealing and for the hash.
    pub fn as_bytes(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }

    /// Returns the secret in base32, as apps read it: 32 characters.
    pub fn base32(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(32));
        for group in self.0.chunks(5) {
            let bits = group.iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
            for position in (0..8).rev() {
                let index = usize::try_from((bits >> (5 * position)) & 31).unwrap_or_default();
                text.push(BASE32.get(index).copied().map_or('A', char::from));
            }
        }
        text
    }

    /// Returns the URI for the QR code, which names the server's host and the account.
    pub fn uri(&self, host: &str, account: &str) -> Zeroizing<String> {
        let (host, account) = (percent_encoded(host), percent_encoded(account));
        let secret = self.base32();
        Zeroizing::new(format!(
            "otpauth://totp/{host}:{account}?secret={}&issuer={host}&algorithm=SHA1&digits=6&period=30",
            secret.as_str()
        ))
    }
}

hide_in_debug!(TotpSecret);

/// Encodes every byte except unreserved characters (RFC 3986 section 2.3).
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A secret encrypted with the operator's key and bound to its person.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedTotpSecret(Vec<u8>);

impl SealedTotpSecret {
    /// Wraps sealed bytes.
    pub const fn new(sealed: Vec<u8>) -> Self {
        Self(sealed)
    }

    /// Returns the sealed bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

hide_in_debug!(SealedTotpSecret);

/// A step of 30 seconds, counted from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TotpStep(i64);

impl TotpStep {
    /// Wraps a stored number.
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// Returns the step at this time.
    pub const fn at(time: DateTime<Utc>) -> Self {
        Self(time.timestamp().div_euclid(STEP_SECONDS))
    }

    /// Returns the number.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Lists the steps whose codes are accepted at this step: itself, the one before and the one after.
    pub const fn accepted(self) -> [Self; 3] {
        [self, Self(self.0.saturating_sub(1)), Self(self.0.saturating_add(1))]
    }

    /// Returns the message of the hash: eight bytes, big-endian (RFC 4226 section 5.2).
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }
}

/// A code of six digits; never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TotpCode(u32);

impl TotpCode {
    /// Derives the code from an HMAC-SHA-1 (RFC 4226 section 5.3).
    pub fn truncate(hash: &[u8; 20]) -> Self {
        let [.., last] = hash;
        let offset = usize::from(last & 0x0f);
        let bytes = hash.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok());
        Self((u32::from_be_bytes(bytes.unwrap_or_default()) & 0x7fff_ffff) % 1_000_000)
    }

    /// Parses a code as typed; blanks between the digits are ignored. `None` if it is no code.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| *c != ' ').collect();
        let is_code = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| digits.parse().ok()).flatten().map(Self)
    }

    /// Returns the six digits.
    pub fn digits(self) -> String {
        format!("{:06}", self.0)
    }
}

hide_in_debug!(TotpCode);

/// The authenticator app of a person, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totp {
    /// Sealed secret.
    pub secret: SealedTotpSecret,
    /// Latest step whose code was used; only codes of later steps are accepted (RFC 6238 section 5.2).
    pub last_step: TotpStep,
    /// When it was set up.
    pub set_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_is_written_in_base32() {
        assert_eq!(
            TotpSecret::new(*b"12345678901234567890").base32().as_str(),
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        );
        assert_eq!(TotpSecret::new([0xff; 20]).base32().as_str(), "7".repeat(32));
    }

    #[test]
    fn the_address_names_host_and_account() {
        let secret = TotpSecret::new([0; 20]);
        assert_eq!(
            secret.uri("sleep.example.org:8443", "zoë+1@example.org").as_str(),
            "otpauth://totp/sleep.example.org%3A8443:zo%C3%AB%2B1%40example.org?secret=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
             &issuer=sleep.example.org%3A8443&algorithm=SHA1&digits=6&period=30"
        );
    }

    #[test]
    fn debug_output_shows_neither_secret_nor_code() {
        assert_eq!(format!("{:?}", TotpSecret::new([1; 20])), "TotpSecret(..)");
        assert_eq!(format!("{:?}", SealedTotpSecret::new(vec![1])), "SealedTotpSecret(..)");
        assert_eq!(format!("{:?}", TotpCode::parse("123456")), "Some(TotpCode(..))");
    }

    #[test]
    fn a_code_has_six_digits() {
        for text in ["123456", "123 456", " 1 2 3456 "] {
            assert_eq!(TotpCode::parse(text).map(TotpCode::digits).as_deref(), Some("123456"), "{text}");
        }
        assert_eq!(TotpCode::parse("000001").map(TotpCode::digits).as_deref(), Some("000001"));
        for text in
            ["", "12345", "1234567", "12345a", "+12345", "-12345", "١٢٣٤٥٦", "123\u{a0}456", "123456\n"]
        {
            assert_eq!(TotpCode::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_step_lasts_thirty_seconds_and_its_neighbours_are_accepted() {
        let at = |seconds| TotpStep::at(DateTime::from_timestamp(seconds, 0).unwrap());
        assert_eq!([at(0), at(29), at(30), at(-1)].map(TotpStep::number), [0, 0, 1, -1]);
        assert_eq!(at(60).accepted().map(TotpStep::number), [2, 1, 3]);
    }

    proptest! {
        #[test]
        fn every_hash_yields_a_code_that_parses(hash: [u8; 20]) {
            let code = TotpCode::truncate(&hash);
            prop_assert_eq!(TotpCode::parse(&code.digits()), Some(code));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".*") {
            let _ = TotpCode::parse(&text);
        }
    }
}
