//! More people and clients, and the operator's actions on them.

use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, text};
use crate::e2e::world::World;

/// Public address that is stable over restarts and shared by several servers, so that they accept each
/// other's tokens.
pub(super) const PUBLIC_URL: &str = "http://localhost:8080";

/// Sets the same public address for every server of this world.
pub(super) fn with_one_address(world: World) -> World {
    world.with("RESTWELL__SERVER__PUBLIC_URL", PUBLIC_URL)
}

/// Registers another client for the same person.
pub(super) fn another_client(world: &World, of: &Registration) -> Registration {
    let mut arguments = vec!["client", "create", "--name", "Other", "--redirect-uri", REDIRECT_URI, "--json"];
    arguments.extend(SCOPES.iter().flat_map(|scope| ["--scope", *scope]));
    let client = world.json(&arguments);
    Registration {
        user_id: of.user_id.clone(),
        client_id: text(&client, "client_id"),
        client_secret: text(&client, "client_secret"),
    }
}

/// Creates another person, who uses the same client.
pub(super) fn another_person(world: &World, of: &Registration, email: &str) -> Registration {
    let user = world.json(&["user", "create", "--email", email, "--timezone", "Asia/Tokyo", "--json"]);
    Registration { user_id: text(&user, "user_id"), ..of.clone() }
}

/// Issues a code with this lifetime, such as `2s`.
pub(super) fn code_for(world: &World, registration: &Registration, time_to_live: &str) -> String {
    let mut arguments = vec!["code", "create", "--client", &registration.client_id, "--user"];
    arguments.extend([
        &registration.user_id,
        "--redirect-uri",
        REDIRECT_URI,
        "--ttl",
        time_to_live,
        "--json",
    ]);
    arguments.extend(SCOPES.iter().flat_map(|scope| ["--scope", *scope]));
    text(&world.json(&arguments), "code")
}

/// Issues many codes, several commands at a time.
pub(super) fn many_codes(world: &World, registration: &Registration, count: usize) -> Vec<String> {
    const AT_A_TIME: usize = 3;
    std::thread::scope(|scope| {
        let share = count.div_ceil(AT_A_TIME);
        let make = move || (0..share).map(|_| code_for(world, registration, "10m")).collect::<Vec<_>>();
        let threads: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(make)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("codes")).collect()
    })
}
