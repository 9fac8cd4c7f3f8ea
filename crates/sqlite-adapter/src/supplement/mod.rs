//! The catalogue of supplements, and what a person takes of it.

mod reader;
mod repository;
mod row;
