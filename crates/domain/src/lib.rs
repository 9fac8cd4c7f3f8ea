//! The words and rules of Restwell.
//!
//! Pure and synchronous: nothing here reads a clock, draws randomness, waits, or knows how a value is
//! stored or sent. Whoever needs the time or a random value passes it in. `cargo test -p domain` therefore
//! needs no service and no network.
//!
//! One module a thing, named in the field's own vocabulary. Constructors parse: a value of a domain type is
//! valid, so that no later layer checks it again.

pub mod access_token;
pub mod address;
pub mod audit;
pub mod authorization_request;
pub mod authorization_response;
pub mod change;
pub mod client;
pub mod code;
pub mod consent;
pub mod data_endpoint;
pub mod deceptive_text;
pub mod form_token;
pub mod grant;
pub mod id;
pub mod import;
pub mod known_browser;
pub mod paging;
pub mod password;
pub mod password_link;
pub mod personal_token;
pub mod rate_limit;
pub mod read_tally;
pub mod scope;
pub mod secret;
pub mod session;
pub mod signing_key;
pub mod sleep;
pub mod supplement;
pub mod time;
pub mod user;
