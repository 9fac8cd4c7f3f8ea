//! How connections come about, and what the log says when they do not.

mod hot_read;
mod log;
mod outage;
mod tls;
