//! Public keys of passkeys, as COSE keys (RFC 9052, RFC 9053, RFC 8230).

use super::cbor::{CborReader, MalformedCbor};

/// Algorithm identifiers (IANA, COSE algorithms) that the server offers, in the order of preference.
pub const OFFERED_ALGORITHMS: [i64; 3] = [EDDSA, ES256, RS256];
const ES256: i64 = -7;
const EDDSA: i64 = -8;
const RS256: i64 = -257;

/// Labels of a COSE key.
const KEY_TYPE: i64 = 1;
const ALGORITHM: i64 = 3;
const OCTET_KEY_PAIR: i64 = 1;
const TWO_COORDINATES: i64 = 2;
const RSA: i64 = 3;
const P256: i64 = 1;
const ED25519: i64 = 6;

/// Sizes of an RSA modulus: 2048 to 8192 bits.
const RSA_MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;
const MAX_RSA_EXPONENT_BYTES: usize = 8;

/// Why a COSE key is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// It is not a well-formed key of its algorithm.
    #[error("not a well-formed public key")]
    Malformed,
    /// Its algorithm is not one of [`OFFERED_ALGORITHMS`].
    #[error("the algorithm was not offered")]
    UnofferedAlgorithm,
}

impl From<MalformedCbor> for InvalidKey {
    fn from(_: MalformedCbor) -> Self {
        Self::Malformed
    }
}

/// A public key and its COSE form, which is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyKey {
    cose: Vec<u8>,
    material: KeyMaterial,
}

/// A public key for signature verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMaterial {
    /// ECDSA with P-256 and SHA-256.
    Es256 {
        /// First coordinate.
        x: [u8; 32],
        /// Second coordinate.
        y: [u8; 32],
    },
    /// Ed25519.
    EdDsa {
        /// The encoded point.
        x: [u8; 32],
    },
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256 {
        /// Modulus, big endian.
        n: Vec<u8>,
        /// Exponent, big endian.
        e: Vec<u8>,
    },
}

impl PasskeyKey {
    /// Parses a COSE key that ends with the bytes.
    pub fn parse(cose: &[u8]) -> Result<Self, InvalidKey> {
        let mut reader = CborReader::new(cose);
        let labels = Labels::read(&mut reader)?;
        reader.end()?;
        Ok(Self { cose: cose.to_vec(), material: labels.material()? })
    }

    /// Returns the COSE form.
    pub fn as_cose(&self) -> &[u8] {
        &self.cose
    }

    /// Returns the key for signature verification.
    pub const fn material(&self) -> &KeyMaterial {
        &self.material
    }

    /// Returns the identifier of the key's algorithm.
    pub const fn algorithm(&self) -> i64 {
        match self.material {
            KeyMaterial::Es256 { .. } => ES256,
            KeyMaterial::EdDsa { .. } => EDDSA,
            KeyMaterial::Rs256 { .. } => RS256,
        }
    }
}

/// Labels -1 to -3 mean different things for each key type, so they are kept as encoded.
#[derive(Default)]
struct Labels<'a> {
    key_type: Option<i64>,
    algorithm: Option<i64>,
    parameters: [Option<&'a [u8]>; 3],
}

impl<'a> Labels<'a> {
    fn read(reader: &mut CborReader<'a>) -> Result<Self, InvalidKey> {
        let mut labels = Self::default();
        let mut seen = Vec::new();
        for _ in 0..reader.map()? {
            let label = reader.integer()?;
            if seen.contains(&label) {
                return Err(InvalidKey::Malformed);
            }
            seen.push(label);
            let value = reader.skip()?;
            match label {
                KEY_TYPE => labels.key_type = Some(CborReader::new(value).integer()?),
                ALGORITHM => labels.algorithm = Some(CborReader::new(value).integer()?),
                -1 => labels.parameters[0] = Some(value),
                -2 => labels.parameters[1] = Some(value),
                -3 => labels.parameters[2] = Some(value),
                _ => {}
            }
        }
        Ok(labels)
    }

    fn material(&self) -> Result<KeyMaterial, InvalidKey> {
        let algorithm = self.algorithm.ok_or(InvalidKey::Malformed)?;
        let (key_type, curve) = match algorithm {
            ES256 => (TWO_COORDINATES, Some(P256)),
            EDDSA => (OCTET_KEY_PAIR, Some(ED25519)),
            RS256 => (RSA, None),
            _ => return Err(InvalidKey::UnofferedAlgorithm),
        };
        let [first, second, third] = self.parameters;
        let has_curve = match (curve, first) {
            (None, _) => true,
            (Some(curve), Some(first)) => CborReader::new(first).integer()? == curve,
            (Some(_), None) => false,
        };
        if self.key_type != Some(key_type) || !has_curve {
            return Err(InvalidKey::Malformed);
        }
        match algorithm {
            ES256 => Ok(KeyMaterial::Es256 { x: coordinate(second)?, y: coordinate(third)? }),
            EDDSA => Ok(KeyMaterial::EdDsa { x: coordinate(second)? }),
            _ => rsa(octets(first)?, octets(second)?),
        }
    }
}

fn octets(value: Option<&[u8]>) -> Result<&[u8], InvalidKey> {
    Ok(CborReader::new(value.ok_or(InvalidKey::Malformed)?).bytes()?)
}

fn coordinate(value: Option<&[u8]>) -> Result<[u8; 32], InvalidKey> {
    octets(value)?.try_into().map_err(|_| InvalidKey::Malformed)
}

fn rsa(n: &[u8], e: &[u8]) -> Result<KeyMaterial, InvalidKey> {
    let fits = RSA_MODULUS_BYTES.contains(&n.len()) && (1..=MAX_RSA_EXPONENT_BYTES).contains(&e.len());
    // Leading zeros would let one key have two forms (RFC 8230 section 4).
    let is_minimal = n.first() != Some(&0) && e.first() != Some(&0);
    if fits && is_minimal {
        Ok(KeyMaterial::Rs256 { n: n.to_vec(), e: e.to_vec() })
    } else {
        Err(InvalidKey::Malformed)
    }
}
