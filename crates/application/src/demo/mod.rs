//! The demo: a made-up person with made-up nights, so that every endpoint has something to answer.
//!
//! The data are the same on every machine; ids are made from names, nothing is drawn. Secrets are random.

mod intake;
mod nights;
mod random;
mod seed_demo;

pub use intake::{demo_logs, demo_supplements};
pub use nights::demo_sessions;
pub use seed_demo::*;

use domain::id::UserId;
use uuid::{Uuid, uuid};

/// The namespace of every id of the demo.
const NAMESPACE: Uuid = uuid!("6f2b1f0e-3c57-4a55-9d1e-6a1d9c1f7a10");

/// The demo person's zone; its clocks change within the demo's nights.
pub const DEMO_TIMEZONE: &str = "America/New_York";

/// The demo person's address; the domain is reserved for examples (RFC 2606).
pub const DEMO_EMAIL: &str = "demo@example.org";

/// Returns the demo person's id.
pub fn demo_user_id() -> UserId {
    UserId::from_uuid(id_of("user"))
}

/// Makes an id from a name.
fn id_of(name: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

#[cfg(test)]
mod tests;
