//! People with and without passwords, created by the operator.

use crate::e2e::app::text;
use crate::e2e::person::type_password;
use crate::e2e::world::World;
use serde_json::Value;

/// Valid password: long enough, uncommon, and not plain ASCII.
pub(crate) const PASSWORD: &str = "vier graue Gänse schlafen im Gras";
/// Another valid password.
pub(crate) const OTHER_PASSWORD: &str = "fünf weiße Hühner wachen im Heu";
/// Password of no account.
pub(crate) const WRONG_PASSWORD: &str = "sechs blaue Enten baden im Bach";

/// Creates a person with a password; returns their id.
pub(crate) fn person(world: &World, email: &str, password: &str) -> String {
    let create =
        ["user", "create", "--email", email, "--timezone", "Europe/Berlin", "--password-stdin", "--json"];
    let created: Value = serde_json::from_str(&type_password(world, &create, password)).expect("JSON");
    text(&created, "user_id")
}

/// Creates a person without a password; returns their id.
pub(crate) fn person_without_password(world: &World, email: &str) -> String {
    let created = world.json(&[
        "user",
        "create",
        "--email",
        email,
        "--timezone",
        "Europe/Berlin",
        "--no-password",
        "--json",
    ]);
    text(&created, "user_id")
}

/// Sets a person's password, as the operator can.
pub(crate) fn give_password(world: &World, user_id: &str, password: &str) {
    type_password(world, &["user", "reset-password", user_id, "--password-stdin"], password);
}

/// Lists the audit trail with further arguments, latest first.
pub(crate) fn trail(world: &World, arguments: &[&str]) -> Vec<Value> {
    let mut all = vec!["audit", "list", "--json"];
    all.extend(arguments);
    world.json_lines(&all)
}
