//! The readers, outside any transaction: single rows on shared connections, pages on pooled ones.

mod access;
mod client;
mod grant;
mod profile;
mod signing_key;
mod sleep;
mod sleep_page;
mod supplement;
