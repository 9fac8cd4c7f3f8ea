//! Imports: how far they are, what each of them did, and the parts of uploads.

mod before;
mod history;
mod note;
mod profile;
mod reader;
mod repository;
mod row;
mod upload;
