//! Personal access tokens, created by users for their scripts (decisions 9).

mod create_personal_token;
mod list_personal_tokens;
mod revoke_personal_token;

pub use create_personal_token::*;
pub use list_personal_tokens::*;
pub use revoke_personal_token::*;

#[cfg(test)]
mod tests;
