//! Stores in other states than those of `World::new`, and people in them.

use crate::e2e::app::{REDIRECT_URI, Registration, create_app};
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
    let create =
        ["user", "create", "--email", "carried@example.org", "--timezone", zone, "--user-id", user_id];
    world.ok(&create);
    create_app(world, user_id, &["--name", "Reader", "--redirect-uri", REDIRECT_URI])
}
