//! Stored values that the program cannot have written: errors name their place and omit the value.

use application::ports::storage::{
    AccessReader as _, AuditFilter, AuditReader as _, AuthorizationRequestReader as _, ClientReader as _,
    ConnectedAppReader as _, GrantReader as _, PasskeyReader as _, PasswordLinkReader as _,
    PersonalTokenReader as _, ProfileReader as _, ReadTallyStore as _, SessionReader as _,
    SigningKeyReader as _, SleepReader as _, StorageError, SupplementReader as _, UnitOfWork,
    UnitOfWorkFactory as _,
};
use chrono::DateTime;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use domain::id::{AuthorizationRequestId, ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use uuid::Uuid;

/// One valid row per table; every id is 16 times the byte 0x11.
const SOUND: &str = "
INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
    VALUES (x'11111111111111111111111111111111', 'a@b', 'a@b', 'UTC', 0);
INSERT INTO client (id, name, kind, redirect_uris, scopes, allow_query_secrets, require_pkce, created_at)
    VALUES (x'11111111111111111111111111111111', 'App', 'app', '[]', 'sleep', 1, 0, 0);
INSERT INTO client_secret VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    zeroblob(32), 0, NULL);
INSERT INTO access_grant (id, client_id, user_id, scopes, refresh_token_hash, created_at)
    VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    x'11111111111111111111111111111111', 'sleep', zeroblob(32), 0);
INSERT INTO sleep_session VALUES (x'11111111111111111111111111111111', 0, x'11111111111111111111111111111111',
    1000, NULL, NULL, '', 'given', 'key', NULL, 0, x'', x'100802', 0);
INSERT INTO supplement VALUES (x'11111111111111111111111111111111', 'dsld', '1', 1, '', 'Zinc', '', '', NULL, 0,
    '[]', NULL);
INSERT INTO intake_log VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111', 0,
    x'11111111111111111111111111111111', 1.0, NULL, 0);
INSERT INTO signing_key VALUES (x'11111111111111111111111111111111', zeroblob(32), x'00', 0, NULL);
INSERT INTO password_link VALUES (zeroblob(32), 'reset', x'11111111111111111111111111111111', NULL, 0);
INSERT INTO session VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    zeroblob(32), 'password', 0, 0, NULL, NULL, NULL);
INSERT INTO authorization_request (id, client_id, redirect_uri, scopes, force_consent, visit_hash, created_at)
    VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111', 'https://x', 'sleep', 0,
    zeroblob(32), 0);
INSERT INTO consent VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111', 'sleep', 0);
INSERT INTO personal_token VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    'Notebook', zeroblob(32), 'sleep', 0, NULL, NULL, NULL);
INSERT INTO audit_event VALUES (x'11111111111111111111111111111111', 0, 'key.created', 'server', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL);
INSERT INTO read_tally VALUES (x'11111111111111111111111111111111', 0, 'client',
    x'11111111111111111111111111111111', 'sleep', 1, 1, NULL, NULL);
INSERT INTO passkey VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111', 'Phone',
    x'01', x'a40101032720062158200000000000000000000000000000000000000000000000000000000000000000', 0, 0, 0, '', 0, NULL);
INSERT INTO outbox VALUES (x'11111111111111111111111111111111', x'00', 0, 0, 0);
";

/// An update, and the table and column that it corrupts.
const CASES: [(&str, &str); 55] = [
    ("UPDATE account SET home_timezone = 'Mars/Olympus'", "account.home_timezone"),
    ("UPDATE account SET email = 'nobody'", "account.email"),
    ("UPDATE account SET birth_date = '1990-02-30'", "account.birth_date"),
    ("UPDATE account SET biological_sex = 'x'", "account.biological_sex"),
    ("UPDATE account SET blood_type = 'C+'", "account.blood_type"),
    ("UPDATE account SET height_cm = 1e9", "account.height_cm"),
    ("UPDATE account SET skin_type = 300", "account.skin_type"),
    ("UPDATE account SET created_at = 9223372036854775807", "account.created_at"),
    ("UPDATE client SET kind = 'robot'", "client.kind"),
    ("UPDATE client SET scopes = 'everything'", "client.scopes"),
    ("UPDATE client SET redirect_uris = '[\"ftp://x\"]'", "client.redirect_uris"),
    ("UPDATE client SET redirect_uris = '{'", "client.redirect_uris"),
    ("UPDATE access_grant SET scopes = 'sleep, profile'", "access_grant.scopes"),
    ("UPDATE access_grant SET revoked_at = 1, revocation_reason = 'mood'", "access_grant.revocation_reason"),
    ("UPDATE sleep_session SET ended_at = 0", "sleep_session.ended_at"),
    ("UPDATE sleep_session SET offset_at_start = 1081", "sleep_session.offset_at_start"),
    ("UPDATE sleep_session SET stages = x'ff'", "sleep_session.stages, metrics"),
    ("UPDATE sleep_session SET natural_key = ''", "sleep_session.natural_key"),
    ("UPDATE supplement SET ingredients = '[{}]'", "supplement.ingredients"),
    ("UPDATE supplement SET name = ' '", "supplement.name"),
    ("UPDATE intake_log SET servings = -1.0", "intake_log.servings"),
    ("UPDATE signing_key SET retired_at = -9223372036854775808", "signing_key.retired_at"),
    ("UPDATE access_grant SET last_used_address = '2001:db8::1'", "access_grant.last_used_address"),
    ("UPDATE access_grant SET last_used_agent = 'owl'", "access_grant.last_used_address"),
    (
        "UPDATE access_grant SET last_used_address = '192.0.2.1', last_used_agent = ' owl'",
        "access_grant.last_used_agent",
    ),
    ("UPDATE password_link SET purpose = 'whim'", "password_link.purpose"),
    ("UPDATE password_link SET purpose = 'sign_up'", "password_link.purpose"),
    ("UPDATE password_link SET purpose = 'sign_up', user_id = NULL, email = 'nobody'", "password_link.email"),
    ("UPDATE session SET method = 'whim'", "session.method"),
    ("UPDATE session SET last_seen_at = 9223372036854775807", "session.last_seen_at"),
    ("UPDATE session SET device = 'firefox'", "session.device"),
    ("UPDATE session SET address = 'home'", "session.address"),
    ("UPDATE authorization_request SET scopes = 'everything'", "authorization_request.scopes"),
    ("UPDATE authorization_request SET challenge = x'00'", "authorization_request.challenge"),
    ("UPDATE consent SET scopes = 'everything'", "consent.scopes"),
    ("UPDATE personal_token SET name = ' '", "personal_token.name"),
    ("UPDATE personal_token SET scopes = 'everything'", "personal_token.scopes"),
    ("UPDATE audit_event SET kind = 'whim'", "audit_event.kind"),
    ("UPDATE audit_event SET actor = 'whim'", "audit_event.actor"),
    ("UPDATE audit_event SET event_count = -1", "audit_event.event_count"),
    ("UPDATE audit_event SET address = '192.0.2.1/64'", "audit_event.address"),
    ("UPDATE audit_event SET scopes = 'everything'", "audit_event.scopes"),
    ("UPDATE audit_event SET device = 'firefox'", "audit_event.device"),
    ("UPDATE read_tally SET reader_kind = 'whim'", "read_tally.reader_kind"),
    ("UPDATE read_tally SET kind = 'whim'", "read_tally.kind"),
    ("UPDATE read_tally SET items = -1", "read_tally.items"),
    ("UPDATE client SET home_page = 'javascript:x'", "client.home_page"),
    ("UPDATE client SET privacy_policy = ''", "client.privacy_policy"),
    ("UPDATE client SET document = '{'", "client.document"),
    ("UPDATE client SET document = '{\"url\":\"http://x/y\",\"fresh_until\":0}'", "client.document"),
    ("UPDATE passkey SET name = ' '", "passkey.name"),
    ("UPDATE passkey SET public_key = x'a0'", "passkey.public_key"),
    ("UPDATE passkey SET sign_count = -1", "passkey.sign_count"),
    ("UPDATE passkey SET credential_id = x''", "passkey.credential_id"),
    ("UPDATE outbox SET attempts = -2", "outbox.attempts"),
];

/// Reads everything; returns the first error.
async fn read_all(store: &SqliteStore) -> Result<(), StorageError> {
    let id = Uuid::from_bytes([0x11; 16]);
    let (user_id, client_id) = (UserId::from_uuid(id), ClientId::from_uuid(id));
    store.find_profile(user_id).await?;
    store.find_with_secrets(client_id).await?;
    store.find_by_refresh_token(&SecretHash::from_bytes([0; 32]), None).await?;
    store.find_access(user_id, GrantId::from_uuid(id)).await?;
    store.walk(user_id, None, 9).await?;
    store.list_logged(user_id).await?;
    store.walk_logs(user_id, None, 9).await?;
    store.list_signing_keys().await?;
    store.find_session(&SecretHash::from_bytes([0; 32])).await?;
    store.find_personal_access(&SecretHash::from_bytes([0; 32])).await?;
    store.list_connected_apps(user_id).await?;
    store.list_events(AuditFilter::default(), None, 9).await?;
    store.list(user_id, None, 9).await?;
    store.find_password_link(&SecretHash::from_bytes([0; 32])).await?;
    store.find_authorization_request(AuthorizationRequestId::from_uuid(id)).await?;
    store.list_personal_tokens(user_id).await?;
    store.list_passkeys(user_id).await?;
    // Rolled back in any case, so that the next update does not wait.
    let mut unit = store.begin().await?;
    let read = read_in(unit.as_mut()).await;
    unit.rollback().await.and(read)
}

/// Reads everything that only a unit of work reads.
async fn read_in(unit: &mut dyn UnitOfWork) -> Result<(), StorageError> {
    let id = Uuid::from_bytes([0x11; 16]);
    let (user_id, client_id) = (UserId::from_uuid(id), ClientId::from_uuid(id));
    unit.consents().find(user_id, client_id).await?;
    unit.outbox().claim(DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH, 9).await?;
    Ok(())
}

#[tokio::test]
async fn a_value_that_cannot_have_been_written_is_named_by_table_column_and_row() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).await.unwrap();
    store.migrate().await.unwrap();
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    // Another program may have written values that the schema rejects.
    connection
        .batch_execute("PRAGMA ignore_check_constraints = ON; DROP TRIGGER audit_event_unchanged")
        .unwrap();
    for (change, place) in CASES {
        connection.batch_execute(SOUND).unwrap();
        read_all(&store).await.unwrap_or_else(|error| panic!("before {change}: {error}"));
        connection.batch_execute(change).unwrap();
        let error = read_all(&store).await.expect_err(change);
        let id = "11111111-1111-1111-1111-111111111111";
        let key = match place.split_once('.').unwrap().0 {
            "password_link" if change.contains("NULL") => {
                "of a sign-up until 1970-01-01T00:00:00+00:00".to_owned()
            }
            "password_link" => format!("of person {id}"),
            "consent" => format!("{id} for client {id}"),
            "read_tally" => format!("of person {id} for reader {id} at 1970-01-01T00:00:00+00:00"),
            _ => id.to_owned(),
        };
        let expected = format!("corrupt value in {place}, row {key}");
        assert_eq!(error.to_string(), expected, "{change}");
        connection
            .batch_execute(
                "PRAGMA foreign_keys = OFF; DELETE FROM account; DELETE FROM client; DELETE FROM client_secret; \
                 DELETE FROM access_grant; DELETE FROM sleep_session; DELETE FROM supplement; \
                 DELETE FROM intake_log; DELETE FROM signing_key; DELETE FROM password_link; \
                 DELETE FROM session; DELETE FROM authorization_request; DELETE FROM consent; \
                 DELETE FROM personal_token; DELETE FROM audit_event; DELETE FROM read_tally; \
                 DELETE FROM outbox; DELETE FROM passkey;",
            )
            .unwrap();
    }
}

#[tokio::test]
async fn names_and_redirect_uris_are_read_without_what_a_later_rule_refuses() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).await.unwrap();
    store.migrate().await.unwrap();
    let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    connection.batch_execute(SOUND).unwrap();
    connection
        .batch_execute(
            "UPDATE client SET name = 'Owl' || char(8238), redirect_uris = '[\"http://127.1/\",\"https://x/\"]';
             UPDATE personal_token SET name = 'Note' || char(8203) || 'book';",
        )
        .unwrap();
    read_all(&store).await.unwrap();
    let id = ClientId::from_uuid(Uuid::from_bytes([0x11; 16]));
    let client = store.find_with_secrets(id).await.unwrap().unwrap().client;
    let uris: Vec<_> = client.redirect_uris.iter().map(domain::client::RedirectUri::as_str).collect();
    assert_eq!((client.name.as_str(), uris), ("Owl", vec!["https://x/"]));
}
