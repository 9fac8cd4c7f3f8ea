//! Secrets of authenticator apps: AES-256-GCM under the operator's key, and HMAC-SHA-1 (RFC 6238).

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use application::ports::system::{TotpEnrolment, TotpSealer, TotpSealerError};
use aws_lc_rs::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::DateTime;
use derive_more::Constructor;
use domain::id::UserId;
use domain::second_factor::{SECRET_BYTES, SealedTotpSecret, TotpCode, TotpSecret, TotpStep};
use zeroize::Zeroizing;

/// Seals secrets under the operator's key; a sealed secret opens only for its own person and purpose.
#[derive(Constructor)]
pub struct EncryptedTotpSealer {
    encryption_key: EncryptionKey,
}

impl EncryptedTotpSealer {
    fn seal_as(&self, purpose: Purpose, user_id: UserId, plain: &[u8]) -> Result<Vec<u8>, TotpSealerError> {
        seal::seal(&self.encryption_key, (purpose, user_id.as_uuid()), plain).map_err(|_| TotpSealerError)
    }

    fn open_as(
        &self,
        purpose: Purpose,
        user_id: UserId,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, TotpSealerError> {
        seal::open(&self.encryption_key, (purpose, user_id.as_uuid()), sealed).map_err(|_| TotpSealerError)
    }
}

impl TotpSealer for EncryptedTotpSealer {
    fn seal(&self, user_id: UserId, secret: &TotpSecret) -> Result<SealedTotpSecret, TotpSealerError> {
        self.seal_as(Purpose::Totp, user_id, secret.as_bytes()).map(SealedTotpSecret::new)
    }

    fn open(&self, user_id: UserId, sealed: &SealedTotpSecret) -> Result<TotpSecret, TotpSealerError> {
        let plain = self.open_as(Purpose::Totp, user_id, sealed.as_bytes())?;
        plain.as_slice().try_into().map(TotpSecret::new).map_err(|_| TotpSealerError)
    }

    /// The plain text is the expiry in seconds, eight bytes, and the secret.
    fn seal_enrolment(&self, user_id: UserId, enrolment: &TotpEnrolment) -> Result<String, TotpSealerError> {
        let TotpEnrolment { secret, expires_at } = enrolment;
        let mut plain = Zeroizing::new([0; 8 + SECRET_BYTES]);
        let (expiry, bytes) = plain.split_at_mut(8);
        expiry.copy_from_slice(&expires_at.timestamp().to_be_bytes());
        bytes.copy_from_slice(secret.as_bytes());
        self.seal_as(Purpose::TotpEnrolment, user_id, plain.as_slice())
            .map(|sealed| URL_SAFE_NO_PAD.encode(sealed))
    }

    fn open_enrolment(&self, user_id: UserId, text: &str) -> Option<TotpEnrolment> {
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let plain = self.open_as(Purpose::TotpEnrolment, user_id, &sealed).ok()?;
        let (expiry, secret) = plain.split_at_checked(8)?;
        let expires_at = DateTime::from_timestamp(i64::from_be_bytes(expiry.try_into().ok()?), 0)?;
        Some(TotpEnrolment { secret: TotpSecret::new(secret.try_into().ok()?), expires_at })
    }

    fn code(&self, secret: &TotpSecret, step: TotpStep) -> TotpCode {
        let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret.as_bytes());
        let hash = sign(&key, &step.to_be_bytes());
        TotpCode::truncate(&hash.as_ref().try_into().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn sealer() -> EncryptedTotpSealer {
        EncryptedTotpSealer::new(EncryptionKey::generate())
    }

    fn person(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn enrolment() -> TotpEnrolment {
        let expires_at = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        TotpEnrolment { secret: TotpSecret::new(*b"12345678901234567890"), expires_at }
    }

    #[test]
    fn codes_are_those_of_rfc_6238_appendix_b() {
        // The RFC lists eight digits; six are the last six of them.
        let secret = TotpSecret::new(*b"12345678901234567890");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = TotpStep::at(DateTime::from_timestamp(seconds, 0).unwrap());
            assert_eq!(sealer().code(&secret, step).digits(), code, "{seconds}");
        }
    }

    #[test]
    fn a_sealed_secret_opens_for_its_person_alone() {
        let (sealer, secret) = (sealer(), enrolment().secret);
        let stored = sealer.seal(person(1), &secret).unwrap();
        assert!(sealer.open(person(1), &stored).unwrap() == secret);
        assert_eq!(sealer.open(person(2), &stored).unwrap_err(), TotpSealerError);
        assert!(!stored.as_bytes().windows(20).any(|window| window == secret.as_bytes()));
    }

    #[test]
    fn an_enrolment_opens_for_its_person_with_its_expiry() {
        let sealer = sealer();
        let text = sealer.seal_enrolment(person(1), &enrolment()).unwrap();
        let opened = sealer.open_enrolment(person(1), &text).unwrap();
        assert!(opened.secret == enrolment().secret && opened.expires_at == enrolment().expires_at);
        assert!(sealer.open_enrolment(person(2), &text).is_none());
        for wrong in [
            "",
            "x",
            text.trim_end_matches(|letter: char| letter.is_ascii()),
            &format!("{text}A"),
            &text.to_uppercase(),
        ] {
            assert!(sealer.open_enrolment(person(1), wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_stored_secret_does_not_open_as_an_enrolment_nor_an_enrolment_as_a_secret() {
        let sealer = sealer();
        let stored = sealer.seal(person(1), &enrolment().secret).unwrap();
        assert!(sealer.open_enrolment(person(1), &URL_SAFE_NO_PAD.encode(stored.as_bytes())).is_none());
        let text = sealer.seal_enrolment(person(1), &enrolment()).unwrap();
        let bytes = URL_SAFE_NO_PAD.decode(text).unwrap();
        assert!(sealer.open(person(1), &SealedTotpSecret::new(bytes)).is_err());
    }
}
