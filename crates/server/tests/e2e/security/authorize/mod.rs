//! The authorization flow: `/authorize`, the pages, and the redirect to the app.

mod bound_code;
mod consent;
mod fault;
mod known_app;
mod pkce;
mod prompt;
mod redirect_uri;
mod state;
