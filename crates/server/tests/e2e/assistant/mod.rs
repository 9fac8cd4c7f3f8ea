//! AI assistants at `/mcp`. Test names end with the section of the MCP specification that they check.

mod access;
mod batch;
mod client;
mod connection;
mod era;
mod limit;
mod schema;
mod tool;
mod transport;
