//! The readers, outside any transaction: single rows on shared connections, pages on pooled ones.

mod access;
mod audit;
mod change;
mod client;
mod clock;
mod connected_app;
mod credential;
mod grant;
mod known_labels;
mod outbox;
mod profile;
mod session;
mod signing_key;
mod sleep;
mod sleep_page;
mod supplement;

pub(crate) use known_labels::KnownLabels;
