//! More people and clients, and the operator's actions on them.

use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, create_app, create_code, text};
use crate::e2e::world::World;

/// Public address that is stable over restarts and shared by several servers, so that they accept each
/// other's tokens.
pub(super) const PUBLIC_URL: &str = "http://localhost:8080";

/// Sets the same public address for every server of this world.
pub(super) fn with_one_address(world: World) -> World {
    world.with("RESTWELL__SERVER__PUBLIC_URL", PUBLIC_URL)
}

/// Registers another client for the same person.
pub(in crate::e2e) fn another_client(world: &World, of: &Registration) -> Registration {
    create_app(world, &of.user_id, &["--name", "Other", "--redirect-uri", REDIRECT_URI])
}

/// Creates another person, who uses the same client.
pub(super) fn another_person(world: &World, of: &Registration, email: &str) -> Registration {
    let user = world.json(&["user", "create", "--email", email, "--timezone", "Asia/Tokyo", "--json"]);
    Registration { user_id: text(&user, "user_id"), ..of.clone() }
}

/// Issues a code with this lifetime, such as `2s`.
pub(super) fn code_for(world: &World, registration: &Registration, time_to_live: &str) -> String {
    text(&world.json(&create_code(registration, &SCOPES, time_to_live)), "code")
}

/// Issues a code with a lifetime of ten minutes; `None` if the person and the client cannot be connected.
pub(super) fn try_code(world: &World, of: &Registration) -> Option<String> {
    let output = world.run(&create_code(of, &SCOPES, "10m"));
    let created = || serde_json::from_slice(&output.stdout).expect("JSON");
    output.status.success().then(|| text(&created(), "code"))
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
