//! Imports: their progress, their changes, and the parts of uploads.

mod journal;
mod reader;
mod repository;
mod row;
mod upload;
