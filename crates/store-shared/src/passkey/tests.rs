use super::*;
use crate::test_support::Recorder;
use application::ports::storage::SigningKeyRepository;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use futures_util::FutureExt as _;
use uuid::Uuid;

fn ready<T>(outcome: impl Future<Output = Result<T, StorageError>>) -> T {
    outcome.now_or_never().unwrap().unwrap()
}

fn ceremony() -> PasskeyCeremony {
    let hash = SecretHash::from_bytes([0; 32]);
    let purpose = CeremonyPurpose::parse("sign_in").unwrap();
    PasskeyCeremony { challenge_hash: hash, purpose, browser_hash: hash, expires_at: DateTime::UNIX_EPOCH }
}

fn signing_key() -> SigningKey {
    SigningKey {
        id: KeyId::from_uuid(Uuid::nil()),
        public_key: [0; 32],
        private_key: SealedPrivateKey::new(Vec::new()),
        created_at: DateTime::UNIX_EPOCH,
        state: SigningKeyState::Retired { at: DateTime::UNIX_EPOCH },
    }
}

/// Writes a statement of `PostgreSQL` with SQLite's quotes and placeholders.
fn for_sqlite(postgres: &str) -> String {
    let mut text = postgres.replace('"', "`");
    for number in (1..=9).rev() {
        text = text.replace(&format!("${number}"), "?");
    }
    text
}

#[test]
fn a_shared_statement_differs_only_in_quotes_and_placeholders() {
    let (user_id, id) = (UserId::from_uuid(Uuid::nil()), PasskeyId::from_uuid(Uuid::nil()));
    let mut unit = Unit(Recorder::default());
    ready(PasskeyRepository::list(&mut unit, user_id));
    let used = PasskeyUse { sign_count: 1, is_backed_up: true, at: DateTime::UNIX_EPOCH };
    ready(unit.record_use(user_id, id, used));
    ready(unit.rename(user_id, id, &PasskeyName::from_stored("Phone").unwrap()));
    ready(PasskeyRepository::delete(&mut unit, user_id, id));
    ready(PasskeyCeremonyRepository::insert(&mut unit, &ceremony()));
    ready(SigningKeyRepository::insert(&mut unit, &signing_key()));
    assert_eq!(unit.0.0.len(), 6);
    for [postgres, sqlite] in unit.0.0 {
        assert_eq!(for_sqlite(&postgres), sqlite);
    }
}
