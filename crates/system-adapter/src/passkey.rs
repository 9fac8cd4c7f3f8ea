//! Client data, keys and signatures of passkeys.

use application::ports::system::{MalformedClientData, PasskeyVerifier};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::traits::IsIdentity as _;
use domain::passkey::{ClientData, KeyMaterial, PasskeyKey, SignatureCheck};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// Bits of the shortest RSA modulus.
const MIN_RSA_BITS: usize = 2048;

/// RSA exponents that AWS-LC accepts.
const RSA_EXPONENTS: Range<u64> = 3..1 << 33;

/// Odd numbers that may not divide an RSA modulus.
const SMALL_FACTORS: Range<u32> = 3..2_000;

/// Parses client data with `serde_json` and verifies signatures with AWS-LC.
#[derive(Debug, Clone, Copy, Default)]
pub struct AwsLcPasskeyVerifier;

/// The members that are checked (section 5.8.1); others may be added in the future.
#[derive(Deserialize)]
struct ClientDataJson {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    is_cross_origin: bool,
    #[serde(rename = "topOrigin")]
    top_origin: Option<IgnoredAny>,
}

impl PasskeyVerifier for AwsLcPasskeyVerifier {
    fn parse_client_data(&self, json: &[u8]) -> Result<ClientData, MalformedClientData> {
        if json.len() > ClientData::MAX_BYTES {
            return Err(MalformedClientData);
        }
        let parsed: ClientDataJson = serde_json::from_slice(json).map_err(|_| MalformedClientData)?;
        let ClientDataJson { kind, challenge, origin, is_cross_origin, top_origin } = parsed;
        Ok(ClientData { kind, challenge, origin, is_cross_origin, has_top_origin: top_origin.is_some() })
    }

    fn is_public_key(&self, key: &PasskeyKey) -> bool {
        match key.material() {
            KeyMaterial::Es256 { x, y } => {
                ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, uncompressed(x, y)).is_ok()
            }
            KeyMaterial::EdDsa { x } => is_ed25519_key(x),
            KeyMaterial::Rs256 { n, e } => is_rsa_key(n, e),
        }
    }

    fn is_signed(&self, check: &SignatureCheck) -> bool {
        let SignatureCheck { key, message, signature } = check;
        let verified = match key.material() {
            KeyMaterial::Es256 { x, y } => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, uncompressed(x, y)).verify(message, signature)
            }
            KeyMaterial::EdDsa { x } => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
            KeyMaterial::Rs256 { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.is_ok()
    }
}

fn uncompressed(x: &[u8; 32], y: &[u8; 32]) -> Vec<u8> {
    [&[4], x.as_slice(), y].concat()
}

/// AWS-LC accepts any 32 bytes, and signatures of points of small order that anyone can make.
fn is_ed25519_key(encoded: &[u8; 32]) -> bool {
    let encoded = CompressedEdwardsY(*encoded);
    encoded
        .decompress()
        .is_some_and(|point| point.compress() == encoded && point.is_torsion_free() && !point.is_identity())
}

/// Both numbers are big endian, without leading zeros. With the exponent 1 every text is its own signature,
/// and anyone who can factor the modulus can sign.
fn is_rsa_key(n: &[u8], e: &[u8]) -> bool {
    let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
    let leading_zeros = n.first().map_or(0, |first| first.leading_zeros() as usize);
    let bits = (n.len() * 8).saturating_sub(leading_zeros);
    let exponent =
        e.iter().try_fold(0_u64, |number, byte| number.checked_mul(256)?.checked_add((*byte).into()));
    let is_exponent = exponent.is_some_and(|exponent| RSA_EXPONENTS.contains(&exponent)) && is_odd(e);
    bits >= MIN_RSA_BITS && is_odd(n) && is_exponent && !has_small_factor(n)
}

fn has_small_factor(n: &[u8]) -> bool {
    let divides = |factor: u32| n.iter().fold(0, |rest, byte| (rest * 256 + u32::from(*byte)) % factor) == 0;
    SMALL_FACTORS.step_by(2).any(divides)
}
