//! The demo: a fictional user with fictional nights, so that every endpoint has data.
//!
//! The data is that of a regular sleeper ([`crate::synthetic`]), the same on every machine on the same day.
//! Only secrets are random.

mod seed;

pub use seed::{DEMO_REDIRECT_URI, Demo, DemoError, SeededDemo};

use domain::id::UserId;
use uuid::{Uuid, uuid};

/// Namespace of the demo's ids.
const NAMESPACE: Uuid = uuid!("6f2b1f0e-3c57-4a55-9d1e-6a1d9c1f7a10");

/// The demo user's time zone.
pub const DEMO_TIMEZONE: &str = "America/New_York";

/// The demo user's email address; the domain is reserved for examples (RFC 2606).
pub const DEMO_EMAIL: &str = "demo@example.org";

/// Returns the demo user's id.
pub fn demo_user_id() -> UserId {
    UserId::from_uuid(id_of("user"))
}

/// Derives an id from a name.
fn id_of(name: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}
