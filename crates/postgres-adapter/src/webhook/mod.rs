//! Webhook endpoints, their events and deliveries.

mod announce;
mod reader;
mod repository;
mod row;

pub(crate) use announce::announce_erasure;
