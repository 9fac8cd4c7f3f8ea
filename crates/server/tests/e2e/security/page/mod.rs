//! The pages for signing in and for managing shared data.

mod apps;
mod cookie;
mod forgery;
mod frame;
mod hostile_text;
mod inheritance;
mod password_link;
mod revocation;
mod secret_kind;
mod session;
pub(super) mod token;
