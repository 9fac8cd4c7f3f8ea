//! Opening connections, and the log of failures.

mod aborted_read;
mod attempts;
mod hot_read;
mod log;
mod outage;
mod page;
mod session;
mod tls;
