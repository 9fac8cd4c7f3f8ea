//! Use cases of the command line: users, clients, codes, grants, and invalidating everything.

mod change_client;
mod change_user;
mod create_client;
mod create_user;
mod find_last_uses;
mod invalidate_everything;
mod issue_code;
mod revoke_grants;
mod rotate_client_secret;
mod show_user;

pub use change_client::*;
pub use change_user::*;
pub use create_client::*;
pub use create_user::*;
pub use find_last_uses::*;
pub use invalidate_everything::*;
pub use issue_code::*;
pub use revoke_grants::*;
pub use rotate_client_secret::*;
pub use show_user::*;

#[cfg(test)]
mod tests;
