//! Current contents of a store, without deleted data in its pages.

use super::super::dump::Dump;
use crate::e2e::world::{StoreKind, World};

/// Returns the rows of every table as text; ASCII is unchanged.
pub(super) fn content_of(world: &World) -> String {
    match world.kind {
        StoreKind::Postgres => Dump::of(world).text().to_owned(),
        StoreKind::Sqlite => {
            let copy = world.dir.path().join("copy.db");
            let statement = format!("VACUUM INTO '{}'", copy.display());
            sqlite_adapter::test_support::execute(&world.dir.path().join("restwell.db"), &statement);
            let bytes = std::fs::read(&copy).expect("copy");
            std::fs::remove_file(&copy).expect("removed");
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}
