//! Proof that a request comes from a command that holds the operator's key: AES-256-GCM under that key.

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use application::ports::system::Clock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use derive_more::Constructor;
use std::sync::Arc;
use uuid::Uuid;

/// Lifetime of a pass, and tolerance for clocks that are apart, in seconds.
const LIFETIME: u64 = 60;

/// Issues and checks passes of `restwell doctor`. A pass says when it was issued and nothing else.
#[derive(Constructor)]
pub struct DoctorPass {
    encryption_key: EncryptionKey,
    clock: Arc<dyn Clock>,
}

impl DoctorPass {
    /// Purpose of passes. They concern no record, so the id is nil.
    const BINDING: (Purpose, Uuid) = (Purpose::DoctorPass, Uuid::nil());

    /// Issues a pass, the value of a header; `None` if encryption fails.
    pub fn issue(&self) -> Option<String> {
        let now = self.clock.now().timestamp().to_be_bytes();
        let sealed = seal::seal(&self.encryption_key, Self::BINDING, &now).ok()?;
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Returns whether a text is a pass of the last minute.
    pub fn is_valid(&self, text: &str) -> bool {
        self.issued_at(text).is_some_and(|at| self.clock.now().timestamp().abs_diff(at) <= LIFETIME)
    }

    fn issued_at(&self, text: &str) -> Option<i64> {
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let plain = seal::open(&self.encryption_key, Self::BINDING, &sealed).ok()?;
        Some(i64::from_be_bytes(plain.as_slice().try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{DateTime, Utc};

    /// A clock that stands still at this second.
    struct StoppedClock(i64);

    impl Clock for StoppedClock {
        fn now(&self) -> DateTime<Utc> {
            DateTime::from_timestamp(self.0, 0).unwrap()
        }
    }

    fn at(key: &EncryptionKey, second: i64) -> DoctorPass {
        DoctorPass::new(key.clone(), Arc::new(StoppedClock(second)))
    }

    #[test]
    fn a_pass_is_valid_for_a_minute_under_its_key_alone() {
        let key = EncryptionKey::generate();
        let pass = at(&key, 1_000).issue().unwrap();
        for (second, is_valid) in [(939, false), (940, true), (1_000, true), (1_060, true), (1_061, false)] {
            assert_eq!(at(&key, second).is_valid(&pass), is_valid, "{second}");
        }
        assert!(!at(&EncryptionKey::generate(), 1_000).is_valid(&pass));
        for wrong in ["", "x", &pass.to_uppercase(), &format!("{pass}A"), "é"] {
            assert!(!at(&key, 1_000).is_valid(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_was_sealed_for_another_purpose_is_no_pass() {
        let key = EncryptionKey::generate();
        let sealed = seal::seal(&key, (Purpose::KeptForm, Uuid::nil()), &1_000_i64.to_be_bytes()).unwrap();
        assert!(!at(&key, 1_000).is_valid(&URL_SAFE_NO_PAD.encode(sealed)));
    }
}
