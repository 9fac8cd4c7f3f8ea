//! The catalogue of supplements, and what a user takes of it.

mod known_labels;
mod reader;
mod repository;
mod row;

pub(crate) use known_labels::KnownLabels;
pub(crate) use row::SupplementRow;
