//! The pages on which people sign in and look after what they share.

mod apps;
mod cookie;
mod forgery;
mod frame;
mod hostile_text;
mod inheritance;
mod leak;
mod password_link;
mod revocation;
mod secret_kind;
mod session;
mod token;
