//! The supplement catalogue, shared by all users.

mod find_labels;

pub use find_labels::FindLabels;
