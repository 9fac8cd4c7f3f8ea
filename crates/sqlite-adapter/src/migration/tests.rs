use super::*;

#[derive(QueryableByName)]
struct Text {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

fn texts(connection: &mut SqliteConnection, sql: &str) -> Vec<String> {
    let rows: Vec<Text> = diesel::sql_query(sql).load(connection).unwrap();
    rows.into_iter().map(|row| row.text).collect()
}

/// Lists tables, indexes and triggers, and the applied migrations: a migration may change only the other
/// store.
fn schema(connection: &mut SqliteConnection) -> Vec<String> {
    let applied = connection.applied_migrations().unwrap();
    let applied: Vec<String> = applied.iter().map(ToString::to_string).collect();
    let created = "SELECT name || ' ' || coalesce(sql, '') AS text FROM sqlite_schema ORDER BY type, name";
    [texts(connection, created), applied].concat()
}

#[test]
fn reverting_each_migration_restores_the_schema_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::new(directory.path().join("restwell.db"), Duration::from_secs(5));
    location.create_file().unwrap();
    let mut connection = location.connect(Role::Writer).unwrap();
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
