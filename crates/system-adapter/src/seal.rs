//! Encryption of secrets in the store: AES-256-GCM under the operator's key, bound to a purpose and an id.
//!
//! Format: one byte of version (1), 12 bytes of nonce, ciphertext and tag. Version, purpose and id are
//! authenticated, so sealed bytes do not open after being moved to another row or table.

use crate::encryption_key::EncryptionKey;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use uuid::Uuid;
use zeroize::Zeroizing;

const VERSION: u8 = 1;

/// Kind of sealed data. Data of one purpose cannot be opened as that of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A private signing key, bound to its `kid`.
    SigningKey,
    /// A pending email.
    Mail,
    /// The secret of an authenticator app, bound to its person.
    Totp,
    /// A secret that is being set up, bound to its person.
    TotpEnrolment,
    /// A form that the browser keeps, bound to its person.
    KeptForm,
    /// The secret of a webhook, bound to its endpoint.
    WebhookSecret,
    /// A pass of `restwell doctor`.
    DoctorPass,
}

impl Purpose {
    /// Returns the label authenticated between version and id. Labels differ in length, so no two pairs of
    /// label and id are equal. The label of signing keys is empty for compatibility.
    const fn label(self) -> &'static [u8] {
        match self {
            Self::SigningKey => b"",
            Self::Mail => b"mail",
            Self::Totp => b"totp-secret",
            Self::TotpEnrolment => b"totp-enrolment",
            Self::KeptForm => b"kept-form",
            Self::WebhookSecret => b"webhook",
            Self::DoctorPass => b"doctor",
        }
    }
}

/// Purpose and id that sealed bytes are bound to.
type Binding = (Purpose, Uuid);

fn authenticated((purpose, id): Binding) -> Aad<Vec<u8>> {
    Aad::from([&[VERSION], purpose.label(), id.as_bytes()].concat())
}

/// Encrypts bytes for this purpose and id.
pub(crate) fn seal(under: &EncryptionKey, binding: Binding, plain: &[u8]) -> Result<Vec<u8>, Unspecified> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, under.as_bytes())?;
    // Capacity for the tag: a buffer that grew would leave a copy of the secret in memory.
    let mut buffer = Zeroizing::new(Vec::with_capacity(plain.len() + AES_256_GCM.tag_len()));
    buffer.extend_from_slice(plain);
    let nonce = key.seal_in_place_append_tag(authenticated(binding), &mut *buffer)?;
    let mut sealed = vec![VERSION];
    sealed.extend_from_slice(nonce.as_ref());
    sealed.extend_from_slice(&buffer);
    Ok(sealed)
}

/// Decrypts bytes sealed for this purpose and id.
pub(crate) fn open(
    under: &EncryptionKey,
    binding: Binding,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Unspecified> {
    let rest = sealed.strip_prefix(&[VERSION]).ok_or(Unspecified)?;
    let (nonce, encrypted) = rest.split_at_checked(NONCE_LEN).ok_or(Unspecified)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce)?;
    let key = RandomizedNonceKey::new(&AES_256_GCM, under.as_bytes())?;
    let mut buffer = Zeroizing::new(encrypted.to_vec());
    let length = key.open_in_place(nonce, authenticated(binding), &mut buffer)?.len();
    buffer.truncate(length);
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[u8] = b"not a key, but bytes are bytes";

    fn key_binding(number: u128) -> Binding {
        (Purpose::SigningKey, Uuid::from_u128(number))
    }

    #[test]
    fn sealed_bytes_open_with_the_same_key_and_id() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, key_binding(1), PLAIN).unwrap();
        assert_eq!(open(&key, key_binding(1), &sealed).unwrap().as_slice(), PLAIN);
        assert!(!sealed.windows(PLAIN.len()).any(|window| window == PLAIN));
    }

    #[test]
    fn sealing_twice_gives_different_bytes() {
        let key = EncryptionKey::generate();
        assert_ne!(seal(&key, key_binding(1), PLAIN).unwrap(), seal(&key, key_binding(1), PLAIN).unwrap());
    }

    #[test]
    fn sealed_bytes_swapped_between_two_ids_do_not_open() {
        let key = EncryptionKey::generate();
        let first = seal(&key, key_binding(1), PLAIN).unwrap();
        let second = seal(&key, key_binding(2), PLAIN).unwrap();
        assert!(open(&key, key_binding(1), &second).is_err());
        assert!(open(&key, key_binding(2), &first).is_err());
    }

    #[test]
    fn bytes_of_one_purpose_do_not_open_as_another_under_the_same_id() {
        let key = EncryptionKey::generate();
        let mail_binding = (Purpose::Mail, Uuid::from_u128(1));
        assert!(open(&key, mail_binding, &seal(&key, key_binding(1), PLAIN).unwrap()).is_err());
        assert!(open(&key, key_binding(1), &seal(&key, mail_binding, PLAIN).unwrap()).is_err());
    }

    #[test]
    fn a_signing_key_sealed_without_a_purpose_still_opens() {
        let key = EncryptionKey::generate();
        let id = Uuid::from_u128(7);
        let mut buffer = PLAIN.to_vec();
        let bound = Aad::from([&[1], id.as_bytes().as_slice()].concat());
        let nonce = RandomizedNonceKey::new(&AES_256_GCM, key.as_bytes())
            .unwrap()
            .seal_in_place_append_tag(bound, &mut buffer)
            .unwrap();
        let sealed = [&[1], nonce.as_ref().as_slice(), &buffer].concat();
        assert_eq!(open(&key, key_binding(7), &sealed).unwrap().as_slice(), PLAIN);
    }

    #[test]
    fn another_encryption_key_does_not_open() {
        let sealed = seal(&EncryptionKey::generate(), key_binding(1), PLAIN).unwrap();
        assert!(open(&EncryptionKey::generate(), key_binding(1), &sealed).is_err());
    }

    #[test]
    fn a_change_of_any_bit_is_noticed() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, key_binding(1), PLAIN).unwrap();
        for position in 0..sealed.len() {
            for bit in 0..8 {
                let mut bytes = sealed.clone();
                bytes[position] ^= 1 << bit;
                assert!(open(&key, key_binding(1), &bytes).is_err(), "byte {position}");
            }
        }
    }

    #[test]
    fn cut_or_longer_bytes_do_not_open() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, key_binding(1), PLAIN).unwrap();
        for length in 0..sealed.len() {
            assert!(open(&key, key_binding(1), &sealed[..length]).is_err(), "{length} bytes");
        }
        assert!(open(&key, key_binding(1), &[sealed.as_slice(), &[0]].concat()).is_err());
    }
}
