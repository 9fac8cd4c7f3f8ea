//! Values in the file that this program cannot have written.

use application::ports::storage::{
    AccessReader as _, ClientReader as _, GrantReader as _, ProfileReader as _, SigningKeyReader as _,
    SleepReader as _, StorageError, SupplementReader as _,
};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use uuid::Uuid;

/// One row of everything, all of them sound; every id is 16 times the byte 11 in hexadecimal.
const SOUND: &str = "
INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
    VALUES (x'11111111111111111111111111111111', 'a@b', 'a@b', 'UTC', 0);
INSERT INTO client VALUES (x'11111111111111111111111111111111', 'App', 'app', '[]', 'sleep', 1, 0, NULL, 0);
INSERT INTO client_secret VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    zeroblob(32), 0, NULL);
INSERT INTO access_grant VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111',
    x'11111111111111111111111111111111', 'sleep', zeroblob(32), 0, NULL, NULL, NULL);
INSERT INTO sleep_session VALUES (x'11111111111111111111111111111111', 0, x'11111111111111111111111111111111',
    1000, NULL, NULL, '', 'given', 'key', NULL, 0, x'', x'100802');
INSERT INTO supplement VALUES (x'11111111111111111111111111111111', 'dsld', '1', 1, '', 'Zinc', '', '', NULL, 0,
    '[]');
INSERT INTO intake_log VALUES (x'11111111111111111111111111111111', x'11111111111111111111111111111111', 0,
    x'11111111111111111111111111111111', 1.0, NULL);
INSERT INTO signing_key VALUES (x'11111111111111111111111111111111', zeroblob(32), x'00', 0, NULL);
";

/// A change, and the table and column that it spoils.
const CASES: [(&str, &str); 22] = [
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
];

/// Reads everything and gives the first error.
async fn read_all(store: &SqliteStore) -> Result<(), StorageError> {
    let id = Uuid::from_bytes([0x11; 16]);
    let (user_id, client_id) = (UserId::from_uuid(id), ClientId::from_uuid(id));
    store.find_profile(user_id).await?;
    store.find_with_secrets(client_id).await?;
    store.find_by_refresh_token(&SecretHash::from_bytes([0; 32]), None).await?;
    store.find_access(user_id, GrantId::from_uuid(id)).await?;
    store.walk(user_id, None, 9).await?;
    store.list_taken(user_id).await?;
    store.walk_logs(user_id, None, 9).await?;
    store.list_signing_keys().await?;
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
    for (change, place) in CASES {
        connection.batch_execute(SOUND).unwrap();
        read_all(&store).await.unwrap_or_else(|error| panic!("before {change}: {error}"));
        connection.batch_execute(change).unwrap();
        let error = read_all(&store).await.expect_err(change);
        let expected = format!("corrupt value in {place}, row 11111111-1111-1111-1111-111111111111");
        assert_eq!(error.to_string(), expected, "{change}");
        connection
            .batch_execute(
                "PRAGMA foreign_keys = OFF; DELETE FROM account; DELETE FROM client; DELETE FROM client_secret; \
                 DELETE FROM access_grant; DELETE FROM sleep_session; DELETE FROM supplement; \
                 DELETE FROM intake_log; DELETE FROM signing_key;",
            )
            .unwrap();
    }
}
