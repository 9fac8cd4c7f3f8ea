//! A person, an app and a browser, on a server; and what tests look at or turn behind its back.

use super::asking::Asking;
use crate::e2e::app::Registration;
use crate::e2e::browser::Browser;
use crate::e2e::person::{Person, party};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};

/// One server, a person who can sign in, an app, and a browser in which nobody has been.
pub(super) struct Scene {
    // Before the world, whose folder holds its log.
    pub(super) server: Server,
    pub(super) world: World,
    pub(super) person: Person,
    pub(super) app: Registration,
    pub(super) browser: Browser,
}

impl Scene {
    pub(super) fn of(world: World) -> Self {
        let (person, app) = party(&world);
        let server = world.serve();
        let browser = Browser::new(&server);
        Self { server, world, person, app, browser }
    }

    /// What the app sends people with when it asks for everything.
    pub(super) fn asking(&self) -> Asking {
        Asking::of(&self.app)
    }
}

/// Checks how many rows of a table there are; a condition begins with `WHERE`.
pub(super) async fn assert_rows(world: &World, table: &str, condition: &str, expected: u32) {
    // A sentence in place of a number when it fails, without a way to read from the store.
    let name = format!("expected_{expected}_of_{table}");
    let statements = format!(
        "CREATE TEMPORARY TABLE found (number INTEGER CONSTRAINT {name} CHECK (number = {expected}));
         INSERT INTO found SELECT count(*) FROM {table} {condition};"
    );
    world.execute(&statements).await;
}

/// Lets every sign-in have been so many seconds earlier than it was.
pub(super) async fn age_sessions(world: &World, seconds: u32) {
    let earlier = match world.kind {
        StoreKind::Sqlite => format!("authenticated_at - {seconds} * 1000000"),
        StoreKind::Postgres => format!("authenticated_at - interval '{seconds} seconds'"),
    };
    world.execute(&format!("UPDATE session SET authenticated_at = {earlier}")).await;
}
