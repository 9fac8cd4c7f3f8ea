//! Forms that a browser keeps: AES-256-GCM under the operator's key.

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use application::ports::system::FormSealer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use derive_more::Constructor;
use domain::id::UserId;

/// Seals forms under the operator's key; a sealed form opens only for its own person.
#[derive(Constructor)]
pub struct EncryptedFormSealer {
    encryption_key: EncryptionKey,
}

impl FormSealer for EncryptedFormSealer {
    fn seal(&self, user_id: UserId, form: &str) -> Option<String> {
        let sealed =
            seal::seal(&self.encryption_key, (Purpose::KeptForm, user_id.as_uuid()), form.as_bytes()).ok()?;
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    fn open(&self, user_id: UserId, text: &str) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let plain = seal::open(&self.encryption_key, (Purpose::KeptForm, user_id.as_uuid()), &sealed).ok()?;
        String::from_utf8(plain.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_form_opens_for_its_person_alone_and_unchanged() {
        let sealer = EncryptedFormSealer::new(EncryptionKey::generate());
        let [robin, sam] = [1, 2].map(|number| UserId::from_uuid(Uuid::from_u128(number)));
        let text = sealer.seal(robin, "name=Tea+%C3%A9").unwrap();
        assert!(!text.contains("Tea"), "{text}");
        assert_eq!(sealer.open(robin, &text).as_deref(), Some("name=Tea+%C3%A9"));
        assert_eq!(sealer.open(sam, &text), None);
        for wrong in ["", "x", &text.to_uppercase(), &format!("{text}A")] {
            assert_eq!(sealer.open(robin, wrong), None, "{wrong}");
        }
    }
}
