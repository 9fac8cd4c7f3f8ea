//! How connections come about, and what the log says when they do not.

mod log;
mod outage;
mod tls;
