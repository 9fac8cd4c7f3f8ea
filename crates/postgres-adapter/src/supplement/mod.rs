//! The supplement catalogue and intake logs.

mod known_labels;
mod reader;
mod repository;
mod row;

pub(crate) use known_labels::KnownLabels;
