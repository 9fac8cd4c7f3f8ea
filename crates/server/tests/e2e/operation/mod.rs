//! What an operator does and meets: commands, settings, start, stop, import, export.

mod command;
mod demo;
mod import;
mod import_rival;
mod lifecycle;
mod log;
mod memory;
mod paging;
mod range;
mod rate;
mod reader;
mod records;
mod replica;
mod schema;
mod settings;
mod store;
mod transfer;
