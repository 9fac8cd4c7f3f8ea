//! A person, an app and a browser on one server, with direct access to the store.

use super::auth_request::AuthRequest;
use crate::e2e::app::Registration;
use crate::e2e::browser::Browser;
use crate::e2e::person::{Person, party};
use crate::e2e::server::Server;
use crate::e2e::world::World;

/// Server, person who can sign in, app, and a browser without cookies.
pub(super) struct Scene {
    // Before the world, whose folder contains its log.
    pub(super) server: Server,
    pub(super) world: World,
    pub(super) person: Person,
    pub(super) app: Registration,
    pub(super) browser: Browser,
}

impl Scene {
    pub(super) fn new(world: World) -> Self {
        let (person, app) = party(&world);
        let server = world.serve();
        let browser = Browser::new(&server);
        Self { server, world, person, app, browser }
    }

    /// Returns the app's authorization request for all of its scopes.
    pub(super) fn auth_request(&self) -> AuthRequest {
        AuthRequest::new(&self.app)
    }
}

/// Checks the number of rows of a table; a condition starts with `WHERE`.
pub(super) async fn assert_rows(world: &World, table: &str, condition: &str, expected: u32) {
    // On failure the name of the constraint appears in the error.
    let name = format!("expected_{expected}_of_{table}");
    let statements = format!(
        "CREATE TEMPORARY TABLE found (number INTEGER CONSTRAINT {name} CHECK (number = {expected}));
         INSERT INTO found SELECT count(*) FROM {table} {condition};"
    );
    world.execute(&statements).await;
}
