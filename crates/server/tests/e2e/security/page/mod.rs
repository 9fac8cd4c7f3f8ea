//! The pages for signing in and for managing shared data.

mod apps;
mod cookie;
pub(super) mod developer;
mod developer_sandbox;
mod developer_usage;
mod developer_webhooks;
mod forgery;
mod frame;
mod hostile_text;
mod inheritance;
mod kept_form;
mod passkey;
mod password_link;
mod profile;
mod renewal;
mod revocation;
mod secret_kind;
mod session;
mod supplements;
pub(super) mod token;
