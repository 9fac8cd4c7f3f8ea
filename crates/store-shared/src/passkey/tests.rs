use super::*;
use crate::test_support::Recorder;
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
    assert_eq!(unit.0.0.len(), 5);
    for [postgres, sqlite] in unit.0.0 {
        assert_eq!(for_sqlite(&postgres), sqlite);
    }
}

#[test]
fn only_postgres_ignores_the_conflict_of_an_insert() {
    let mut unit = Unit(Recorder::default());
    let row = CeremonyRow {
        challenge_hash: Vec::new(),
        purpose: String::new(),
        browser_hash: Vec::new(),
        expires_at: DateTime::UNIX_EPOCH.into(),
    };
    let insert = diesel::insert_into(passkey_ceremony::table).values(row);
    ready(unit.insert_new(insert, UniqueKey::Passkey));
    let [postgres, sqlite] = unit.0.0.pop().unwrap();
    assert_eq!(for_sqlite(&postgres), format!("{sqlite} ON CONFLICT DO NOTHING"));
}
