//! Imports: how far they are, what each of them did, and the parts of uploads.

mod before;
mod note;
mod place;
mod report;
mod repository;
mod row;
mod upload;
