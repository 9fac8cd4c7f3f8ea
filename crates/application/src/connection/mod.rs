//! Connections: the apps that hold something of a person.

mod disconnect_apps;
mod list_connected_apps;

pub use disconnect_apps::*;
pub use list_connected_apps::*;

#[cfg(test)]
mod tests;
