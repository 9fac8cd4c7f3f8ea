//! What an operator does and meets: commands, settings, start, stop, import, export.

mod demo;
mod import;
mod reader;
mod records;
mod store;
mod transfer;
