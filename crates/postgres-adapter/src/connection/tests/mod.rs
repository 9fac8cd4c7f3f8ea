//! How connections come about, and what the log says when they do not.

mod giving_way;
mod hot_read;
mod log;
mod outage;
mod page;
mod tls;
