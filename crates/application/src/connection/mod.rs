//! Connected apps of a user.

pub(crate) mod connected_app;
mod disconnect_apps;
mod list_connected_apps;

pub use connected_app::*;
pub use disconnect_apps::*;
pub use list_connected_apps::*;

#[cfg(test)]
mod tests;
