//! Private keys as the store holds them: AES-256-GCM under the operator's key, bound to their `kid`.
//!
//! The form is one byte of version (1), 12 bytes of nonce, then the encrypted PKCS#8 document and its tag.
//! Version and `kid` are authenticated with it, so that a sealed key moved to another row does not open.

use crate::encryption_key::EncryptionKey;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use domain::id::KeyId;
use domain::signing_key::SealedPrivateKey;
use zeroize::Zeroizing;

const VERSION: u8 = 1;

/// Encrypts a private key for the row of this `kid`.
pub(super) fn seal(
    under: &EncryptionKey,
    id: KeyId,
    private: &[u8],
) -> Result<SealedPrivateKey, Unspecified> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, under.as_bytes())?;
    // Room for the tag from the start: a buffer that grew would leave a copy of the key behind.
    let mut buffer = Zeroizing::new(Vec::with_capacity(private.len() + AES_256_GCM.tag_len()));
    buffer.extend_from_slice(private);
    let nonce = key.seal_in_place_append_tag(bound_to(id), &mut *buffer)?;
    let mut sealed = vec![VERSION];
    sealed.extend_from_slice(nonce.as_ref());
    sealed.extend_from_slice(&buffer);
    Ok(SealedPrivateKey::new(sealed))
}

/// Decrypts a private key that was sealed for this `kid`.
pub(super) fn open(
    under: &EncryptionKey,
    id: KeyId,
    sealed: &SealedPrivateKey,
) -> Result<Zeroizing<Vec<u8>>, Unspecified> {
    let rest = sealed.as_bytes().strip_prefix(&[VERSION]).ok_or(Unspecified)?;
    let (nonce, encrypted) = rest.split_at_checked(NONCE_LEN).ok_or(Unspecified)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce)?;
    let key = RandomizedNonceKey::new(&AES_256_GCM, under.as_bytes())?;
    let mut buffer = Zeroizing::new(encrypted.to_vec());
    let length = key.open_in_place(nonce, bound_to(id), &mut buffer)?.len();
    buffer.truncate(length);
    Ok(buffer)
}

fn bound_to(id: KeyId) -> Aad<Vec<u8>> {
    let mut bound = vec![VERSION];
    bound.extend_from_slice(id.as_uuid().as_bytes());
    Aad::from(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const PRIVATE: &[u8] = b"not a key, but bytes are bytes";

    fn kid(number: u128) -> KeyId {
        KeyId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn what_was_sealed_opens_under_the_same_key_and_kid() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, kid(1), PRIVATE).unwrap();
        assert_eq!(open(&key, kid(1), &sealed).unwrap().as_slice(), PRIVATE);
        assert!(!sealed.as_bytes().windows(PRIVATE.len()).any(|window| window == PRIVATE));
    }

    #[test]
    fn sealing_twice_gives_different_bytes() {
        let key = EncryptionKey::generate();
        assert_ne!(seal(&key, kid(1), PRIVATE).unwrap(), seal(&key, kid(1), PRIVATE).unwrap());
    }

    #[test]
    fn sealed_bytes_swapped_between_two_kids_do_not_open() {
        let key = EncryptionKey::generate();
        let (first, second) = (seal(&key, kid(1), PRIVATE).unwrap(), seal(&key, kid(2), PRIVATE).unwrap());
        assert!(open(&key, kid(1), &second).is_err());
        assert!(open(&key, kid(2), &first).is_err());
    }

    #[test]
    fn another_encryption_key_does_not_open() {
        let sealed = seal(&EncryptionKey::generate(), kid(1), PRIVATE).unwrap();
        assert!(open(&EncryptionKey::generate(), kid(1), &sealed).is_err());
    }

    #[test]
    fn a_change_of_any_bit_is_noticed() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, kid(1), PRIVATE).unwrap();
        for position in 0..sealed.as_bytes().len() {
            for bit in 0..8 {
                let mut bytes = sealed.as_bytes().to_vec();
                bytes[position] ^= 1 << bit;
                assert!(open(&key, kid(1), &SealedPrivateKey::new(bytes)).is_err(), "byte {position}");
            }
        }
    }

    #[test]
    fn cut_or_longer_bytes_do_not_open() {
        let key = EncryptionKey::generate();
        let sealed = seal(&key, kid(1), PRIVATE).unwrap();
        for length in 0..sealed.as_bytes().len() {
            let cut = SealedPrivateKey::new(sealed.as_bytes()[..length].to_vec());
            assert!(open(&key, kid(1), &cut).is_err(), "{length} bytes");
        }
        let longer = SealedPrivateKey::new([sealed.as_bytes(), &[0]].concat());
        assert!(open(&key, kid(1), &longer).is_err());
    }
}
