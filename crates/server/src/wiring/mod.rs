//! The composition root: which adapter implements which port.
//!
//! The scheme of `storage.url` selects the store at run time. Everything else depends on ports only.

mod application;
mod clock;
mod encryption_key;
mod export;
mod http_state;
mod keys;
mod mail;
mod pages;
mod password;
mod passwords;
mod published_keys;
mod rate_limits;
mod schema;
mod services;
mod session;
mod store;
mod webhooks;

pub(crate) use application::{Application, UploadReading};
pub(crate) use clock::{ClockSkew, SharedClock};
pub(crate) use encryption_key::KeySource;
pub(crate) use export::Writers;
pub(crate) use keys::{KeyParts, signing_keys};
pub(crate) use mail::{MailParts, test_mail};
pub(crate) use password::{password_hasher, password_strength_checker};
pub(crate) use passwords::{checkpoint, password_links, passwords};
pub(crate) use rate_limits::RateLimits;
pub(crate) use schema::{Schema, explained, refusal};
pub(crate) use services::{
    clients, codes, grants, imports, passkeys, personal_tokens, sandbox_people, sessions,
};
pub(crate) use session::Session;
pub(crate) use store::{IfMissing, Store};
pub(crate) use webhooks::{outbound_policy, webhooks};
