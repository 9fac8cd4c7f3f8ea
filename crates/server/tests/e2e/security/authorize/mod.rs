//! How an app gets a code: `/authorize`, the pages that a person goes through, and the way back.

mod bound_code;
mod consent;
mod fault;
mod known_app;
mod pkce;
mod prompt;
mod redirect_uri;
mod registration;
mod state;
