//! Opening connections, and the log of failures.

mod attempts;
mod giving_way;
mod hot_read;
mod log;
mod outage;
mod page;
mod session;
mod tls;
