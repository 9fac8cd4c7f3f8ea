//! Imports: their progress, their changes, and the parts of uploads.

mod before;
mod journal;
mod profile;
mod reader;
mod report;
mod repository;
mod row;
mod undone;
mod upload;
