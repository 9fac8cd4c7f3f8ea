//! What an operator does and meets: commands, settings, start, stop, import, export.

mod audit;
mod catalogue;
mod command;
mod demo;
mod import;
mod import_kept;
mod import_rival;
mod invalidate;
mod lifecycle;
mod log;
mod mail;
pub(super) mod mail_server;
mod memory;
mod paging;
mod password;
mod range;
mod rate;
mod reader;
mod records;
mod replica;
mod schema;
mod session;
mod settings;
mod store;
mod token;
mod transfer;
mod upload;
