//! The catalogue of supplements, which all people share.

mod find_labels;

pub use find_labels::FindLabels;
