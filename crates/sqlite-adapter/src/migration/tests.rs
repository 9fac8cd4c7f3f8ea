use super::*;
use diesel::connection::SimpleConnection as _;
use domain::supplement::Upc;

#[derive(QueryableByName)]
struct Text {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

fn texts(connection: &mut SqliteConnection, sql: &str) -> Vec<String> {
    let rows: Vec<Text> = diesel::sql_query(sql).load(connection).unwrap();
    rows.into_iter().map(|row| row.text).collect()
}

/// Lists tables, indexes and triggers, and which migrations there were: one may be for the other store alone.
fn schema(connection: &mut SqliteConnection) -> Vec<String> {
    let made = "SELECT name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema ORDER BY type, name";
    let versions = "SELECT version AS text FROM schema_compatibility ORDER BY version";
    [texts(connection, made), texts(connection, versions)].concat()
}

#[test]
fn taking_back_the_last_migration_restores_the_schema_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let location =
        Location { path: directory.path().join("restwell.db"), busy_timeout: Duration::from_secs(5) };
    location.create_file().unwrap();
    let mut connection = location.connect(Role::Writer).unwrap();
    connection.run_next_migration(MIGRATIONS).unwrap();
    while connection.has_pending_migration(MIGRATIONS).unwrap() {
        let before = schema(&mut connection);
        let name = connection.run_next_migration(MIGRATIONS).unwrap().as_owned();
        let after = schema(&mut connection);
        assert_ne!(after, before, "{name}");
        connection.revert_last_migration(MIGRATIONS).unwrap();
        assert_eq!(schema(&mut connection), before, "{name}");
        connection.run_next_migration(MIGRATIONS).unwrap();
        assert_eq!(schema(&mut connection), after, "{name}");
    }
}

#[test]
fn grants_survive_the_columns_that_sign_in_adds_and_takes_back() {
    let (mut connection, _directory) = crate::testing::empty_database();
    let rows = "INSERT INTO account (id, email, email_normalised, home_timezone, created_at)
            VALUES (zeroblob(16), 'a@b', 'a@b', 'UTC', 0);
        INSERT INTO client VALUES (zeroblob(16), 'App', 'app', '[]', 'sleep', 1, 0, NULL, 0);
        INSERT INTO access_grant VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 'sleep', zeroblob(32), 1, 2, 3,
            'person', '192.0.2.1', 'owl');";
    connection.batch_execute(rows).unwrap();
    while texts(&mut connection, "SELECT max(version) AS text FROM schema_compatibility")
        != ["20261121000001"]
    {
        connection.revert_last_migration(MIGRATIONS).unwrap();
    }
    connection.run_pending_migrations(MIGRATIONS).unwrap();
    let kept = "SELECT printf('%d %d %d %s %s', created_at, last_used_at, revoked_at, revocation_reason, \
                coalesce(last_used_address, last_used_agent, '-')) AS text FROM access_grant";
    assert_eq!(texts(&mut connection, kept), ["1 2 3 person -"]);
}

#[test]
fn labels_from_before_get_the_code_that_the_domain_reads_in_them() {
    let (mut connection, _directory) = crate::testing::empty_database();
    while texts(&mut connection, "SELECT max(version) AS text FROM schema_compatibility")
        != ["20261121000002"]
    {
        connection.revert_last_migration(MIGRATIONS).unwrap();
    }
    let spellings = [
        "0 33674-49111\u{a0}9",
        "12345670",
        "12345678901234",
        "123456789012345",
        "1234567",
        "",
        "00000000",
        "Not Present",
        "1234567\u{661}",
    ];
    for (number, upc) in spellings.iter().enumerate() {
        let row = format!(
            "INSERT INTO supplement VALUES (randomblob(16), 'dsld', '{number:02}', 1, '', 'Zinc', '', '{upc}', NULL, 0, '[]')"
        );
        connection.batch_execute(&row).unwrap();
    }
    connection.run_pending_migrations(MIGRATIONS).unwrap();
    let expected: Vec<String> = spellings
        .iter()
        .map(|upc| Upc::parse(upc).map_or("-".to_owned(), |code| code.as_str().to_owned()))
        .collect();
    let found = "SELECT coalesce(upc_digits, '-') AS text FROM supplement ORDER BY catalogue_key";
    assert_eq!(texts(&mut connection, found), expected);
}
