//! Client data and signatures of passkeys.

use application::ports::system::{MalformedClientData, PasskeyVerifier};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use domain::passkey::{ClientData, KeyMaterial, SignatureCheck};
use serde::Deserialize;
use serde::de::IgnoredAny;

#[cfg(test)]
mod tests;

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

    fn is_signed(&self, check: &SignatureCheck) -> bool {
        let SignatureCheck { key, message, signature } = check;
        let verified = match key.material() {
            KeyMaterial::Es256 { x, y } => {
                let point = [&[4], x.as_slice(), y].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
            }
            KeyMaterial::EdDsa { x } => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
            KeyMaterial::Rs256 { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.is_ok()
    }
}
