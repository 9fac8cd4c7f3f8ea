//! Stores in other states than those of `World::new`, and people in them.

use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, text};
use crate::e2e::world::{StoreKind, World};
use postgres_adapter::test_support::TestDatabase;
use tempfile::TempDir;

/// Creates the settings for a store that is not migrated.
pub(super) async fn unmigrated(kind: StoreKind) -> World {
    let database = match kind {
        StoreKind::Sqlite => None,
        StoreKind::Postgres => Some(TestDatabase::create_without_schema().await),
    };
    World::on(TempDir::new().expect("temporary folder"), database)
}

/// Creates a person with this id, and a client.
pub(super) fn register_as(world: &World, user_id: &str, zone: &str) -> Registration {
    let user = world.json(&[
        "user",
        "create",
        "--email",
        "carried@example.org",
        "--timezone",
        zone,
        "--user-id",
        user_id,
        "--json",
    ]);
    assert_eq!(text(&user, "user_id"), user_id);
    let mut arguments =
        vec!["client", "create", "--name", "Reader", "--redirect-uri", REDIRECT_URI, "--json"];
    arguments.extend(SCOPES.iter().flat_map(|scope| ["--scope", scope]));
    let client = world.json(&arguments);
    Registration {
        user_id: user_id.to_owned(),
        client_id: text(&client, "client_id"),
        client_secret: text(&client, "client_secret"),
    }
}

/// Executes statements on the store of a world, bypassing the program.
pub(super) async fn execute(world: &World, statements: &str) {
    world.execute(statements).await;
}
