//! The composition root: which adapter implements which port.
//!
//! The scheme of `storage.url` selects the store at run time. Everything else depends on ports only.

mod application;
mod clock;
mod encryption_key;
mod http_state;
mod keys;
mod mail;
mod pages;
mod rate_limits;
mod schema;
mod services;
mod store;

pub(crate) use application::{Application, UploadReading};
pub(crate) use clock::{ClockSkew, SharedClock};
pub(crate) use encryption_key::KeySource;
pub(crate) use http_state::Writers;
pub(crate) use keys::KeyParts;
pub(crate) use mail::{MailParts, test_mail};
pub(crate) use rate_limits::RateLimits;
pub(crate) use schema::{Schema, explained, refusal};
pub(crate) use services::Services;
pub(crate) use store::{IfMissing, Store};
