//! AI assistants at `/mcp`. Test names end with the section of the MCP specification that they check.

mod access;
mod client;
mod era;
mod limit;
mod tool;
mod transport;
