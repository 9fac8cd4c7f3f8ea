//! The vocabulary and rules of Restwell.
//!
//! Pure and synchronous: no clock, no randomness, no I/O. Callers pass in times and random values. `cargo
//! test -p domain` needs no service and no network.
//!
//! One module per concept, named in the language of the field. Constructors parse: values of domain types are
//! valid, so later layers need no checks.

pub mod access_token;
pub mod address;
pub mod audit;
pub mod authorization_request;
pub mod authorization_response;
pub mod change;
pub mod client;
pub mod client_usage;
pub mod code;
pub mod consent;
mod counted;
pub mod data_endpoint;
pub mod data_kind;
pub mod deceptive_text;
pub mod device;
pub mod form_token;
pub mod grant;
pub mod id;
pub mod import;
pub mod known_browser;
mod named_enum;
pub mod outbound;
pub mod paging;
pub mod passkey;
pub mod password;
pub mod password_link;
pub mod pending_sign_in;
pub mod personal_token;
pub mod rate_limit;
pub mod read_tally;
pub mod refresh_token;
pub mod resource;
pub mod sandbox;
pub mod scope;
pub mod second_factor;
pub mod secret;
pub mod session;
pub mod signing_key;
pub mod sleep;
pub mod supplement;
pub mod time;
pub mod user;
pub mod webhook;

pub use counted::{counted, listed};
