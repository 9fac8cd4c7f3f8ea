//! Lists a person's tokens.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::Clock;
use domain::id::UserId;
use domain::personal_token::PersonalToken;
use std::sync::Arc;

/// A token, and whether it counts now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPersonalToken {
    /// The token.
    pub token: PersonalToken,
    /// Whether it is neither revoked nor past its end.
    pub is_live: bool,
}

/// Lists personal access tokens.
pub struct ListPersonalTokens {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl ListPersonalTokens {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Returns all tokens of a person, live or not, the youngest first.
    pub async fn run(&self, user_id: UserId) -> Result<Vec<ListedPersonalToken>, StorageError> {
        let now = self.clock.now();
        let mut unit = self.units.begin().await?;
        let tokens = unit.personal_tokens().list(user_id).await?;
        unit.rollback().await?;
        let listed = |token: PersonalToken| ListedPersonalToken { is_live: token.is_live(now), token };
        Ok(tokens.into_iter().map(listed).collect())
    }
}
