//! Creates a personal access token for the operator, who gives it to the user.

use crate::audit::commit;
use crate::personal_token::{
    CreatePersonalTokenError, CreatedPersonalToken, TokenSpec, has_too_many, is_unavailable,
};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{PersonalTokenId, UserId};
use domain::scope::ScopeSet;

/// Input of [`IssuePersonalToken`].
#[derive(Debug, Clone, Copy)]
pub struct IssuePersonalTokenCommand<'a> {
    /// User whose data the token gives access to.
    pub user_id: UserId,
    /// Name of the token.
    pub name: &'a str,
    /// Its scopes.
    pub scopes: ScopeSet,
    /// Lifetime in days; `None` if it never expires.
    pub expires_in_days: Option<u32>,
}

crate::audit::use_case! {
    /// Issues personal access tokens.
    IssuePersonalToken
}

impl IssuePersonalToken {
    /// Stores the hash of a new token and returns the token. The rules are those of the tokens page, without
    /// its session.
    pub async fn run(
        &self,
        command: IssuePersonalTokenCommand<'_>,
    ) -> Result<CreatedPersonalToken, CreatePersonalTokenError> {
        let IssuePersonalTokenCommand { user_id, name, scopes, expires_in_days } = command;
        let at = self.trail.now();
        let spec = TokenSpec::read(name, scopes, expires_in_days, at)?;
        let mut unit = self.units.begin().await?;
        if is_unavailable(&mut *unit, user_id).await? {
            return unit.refuse(CreatePersonalTokenError::AccountUnavailable).await;
        }
        if has_too_many(&unit.personal_tokens().list(user_id).await?, at) {
            return unit.refuse(CreatePersonalTokenError::TooManyTokens).await;
        }
        let id = PersonalTokenId::from_uuid(self.trail.entropy.uuid());
        let created = spec.issue(id, user_id, &*self.trail.entropy, at);
        unit.personal_tokens().insert(&created.token).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::PersonalTokenCreated);
        commit(unit, &[event.user(user_id).subject(created.token.id.as_uuid())]).await?;
        Ok(created)
    }
}
