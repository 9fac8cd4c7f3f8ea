//! Lists a user's personal access tokens.

use crate::ports::storage::{PersonalTokenReader, StorageError};
use crate::ports::system::Clock;
use derive_more::Constructor;
use domain::id::UserId;
use domain::personal_token::PersonalToken;
use std::sync::Arc;

/// A token, and whether it is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPersonalToken {
    /// The token.
    pub token: PersonalToken,
    /// Whether it is neither revoked nor expired.
    pub is_live: bool,
}

/// Lists personal access tokens.
#[derive(Constructor)]
pub struct ListPersonalTokens {
    reader: Arc<dyn PersonalTokenReader>,
    clock: Arc<dyn Clock>,
}

impl ListPersonalTokens {
    /// Returns all tokens of a user, live or not, newest first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<ListedPersonalToken>, StorageError> {
        let now = self.clock.now();
        let tokens = self.reader.list_personal_tokens(user_id).await?;
        let listed = |token: PersonalToken| ListedPersonalToken { is_live: token.is_live(now), token };
        Ok(tokens.into_iter().map(listed).collect())
    }
}
