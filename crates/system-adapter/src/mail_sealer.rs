//! Encryption of pending email, which contains addresses and one-time links.

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use application::ports::system::{Mail, MailSealError, MailSealer};
use derive_more::Constructor;
use domain::id::MessageId;
use domain::user::Email;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use zeroize::Zeroizing;

/// Seals messages under the operator's key; a sealed message opens only for its own id.
#[derive(Constructor)]
pub struct EncryptedMailSealer {
    encryption_key: EncryptionKey,
}

/// Plain form of a message.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMail<'a> {
    to: Cow<'a, str>,
    subject: Cow<'a, str>,
    text: Cow<'a, str>,
}

impl MailSealer for EncryptedMailSealer {
    fn seal(&self, id: MessageId, mail: &Mail) -> Result<Vec<u8>, MailSealError> {
        let plain = encode(mail)?;
        seal::seal(&self.encryption_key, (Purpose::Mail, id.as_uuid()), &plain).map_err(|_| MailSealError)
    }

    fn open(&self, id: MessageId, sealed: &[u8]) -> Result<Mail, MailSealError> {
        let plain = seal::open(&self.encryption_key, (Purpose::Mail, id.as_uuid()), sealed)
            .map_err(|_| MailSealError)?;
        let WrittenMail { to, subject, text } = serde_json::from_slice(&plain).map_err(|_| MailSealError)?;
        let to = Email::parse(&to).map_err(|_| MailSealError)?;
        Ok(Mail { to, subject: subject.into_owned(), text: text.into_owned() })
    }
}

fn encode(mail: &Mail) -> Result<Zeroizing<Vec<u8>>, MailSealError> {
    let Mail { to, subject, text } = mail;
    // JSON takes at most six bytes per byte of text. A buffer that grew would leave copies of the text in
    // memory.
    let longest = (to.as_str().len() + subject.len() + text.len()).saturating_mul(6).saturating_add(64);
    let mut plain = Zeroizing::new(Vec::with_capacity(longest));
    let written = WrittenMail {
        to: Cow::Borrowed(to.as_str()),
        subject: Cow::Borrowed(subject),
        text: Cow::Borrowed(text),
    };
    serde_json::to_writer(&mut *plain, &written).map_err(|_| MailSealError)?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_ring::Ed25519KeyRing;
    use crate::token::TokenParties;
    use application::ports::system::{KeyRing, KeyRingError};
    use chrono::DateTime;
    use domain::id::KeyId;
    use domain::signing_key::SealedPrivateKey;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn id(number: u128) -> MessageId {
        MessageId::from_uuid(Uuid::from_u128(number))
    }

    fn mail() -> Mail {
        Mail {
            to: Email::parse("sam@example.org").unwrap(),
            subject: "Choose a new password".to_owned(),
            text: "Follow this link:\n\nhttps://sleep.example.org/set-password?link=rwl_x\n".to_owned(),
        }
    }

    #[test]
    fn a_sealed_message_opens_for_its_id_and_shows_nothing_before() {
        let sealer = EncryptedMailSealer::new(EncryptionKey::generate());
        let bytes = sealer.seal(id(1), &mail()).unwrap();
        assert!(sealer.open(id(1), &bytes).unwrap() == mail());
        for part in ["sam@", "password", "rwl_"] {
            assert!(!bytes.windows(part.len()).any(|window| window == part.as_bytes()), "{part}");
        }
    }

    #[test]
    fn a_sealed_message_does_not_open_for_another_id_or_under_another_key() {
        let sealer = EncryptedMailSealer::new(EncryptionKey::generate());
        let bytes = sealer.seal(id(1), &mail()).unwrap();
        assert_eq!(sealer.open(id(2), &bytes), Err(MailSealError));
        let other = EncryptedMailSealer::new(EncryptionKey::generate());
        assert_eq!(other.open(id(1), &bytes), Err(MailSealError));
    }

    #[test]
    fn a_sealed_signing_key_does_not_open_as_a_message_nor_a_message_as_a_key() {
        let key = EncryptionKey::generate();
        let parties =
            TokenParties { issuer: "https://i.example".to_owned(), audience: "https://i.example".to_owned() };
        let ring = Ed25519KeyRing::new(key.clone(), parties);
        let sealer = EncryptedMailSealer::new(key);
        let kid = KeyId::from_uuid(Uuid::from_u128(1));
        let mut signing_key = ring.create_key(kid, DateTime::UNIX_EPOCH).unwrap();
        assert_eq!(sealer.open(id(1), signing_key.private_key.as_bytes()), Err(MailSealError));
        signing_key.private_key = SealedPrivateKey::new(sealer.seal(id(1), &mail()).unwrap());
        assert_eq!(ring.load(&[signing_key]), Err(KeyRingError::CannotDecrypt(kid)));
    }

    #[test]
    fn opened_bytes_without_a_message_are_refused() {
        let key = EncryptionKey::generate();
        let sealer = EncryptedMailSealer::new(key.clone());
        for plain in ["", "{}", r#"{"to":"nobody","subject":"","text":""}"#, r#"{"to":"a@b","subject":""}"#] {
            let bytes = seal::seal(&key, (Purpose::Mail, id(1).as_uuid()), plain.as_bytes()).unwrap();
            assert_eq!(sealer.open(id(1), &bytes), Err(MailSealError), "{plain}");
        }
    }

    proptest! {
        #[test]
        fn every_message_round_trips(subject in "\\PC{0,40}", text in "(?s).{0,200}") {
            let sealer = EncryptedMailSealer::new(EncryptionKey::generate());
            let mail = Mail { subject, text, ..mail() };
            let bytes = sealer.seal(id(1), &mail).unwrap();
            prop_assert!(sealer.open(id(1), &bytes).unwrap() == mail);
            let plain = encode(&mail).unwrap();
            let Mail { to, subject, text } = &mail;
            prop_assert!(plain.capacity() < (to.as_str().len() + subject.len() + text.len()) * 6 + 65);
        }
    }
}
