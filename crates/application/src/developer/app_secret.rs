//! Rotates and retires secrets of a developer's app.

use super::{AppCommand, DeveloperAppError, check_owner, find_own, refuse};
use crate::audit;
use crate::operator::{ClientError, add_secret};
use crate::ports::storage::UnitOfWork;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::ClientSecretId;
use domain::secret::Secret;

fn describe(command: AppCommand<'_>, event: AuditEvent, secret: ClientSecretId) -> AuditEvent {
    let event = event.user(command.session.user_id).client(command.id).subject(secret.as_uuid());
    event.from(command.address)
}

crate::audit::use_case! {
    /// Rotates secrets of developers' apps.
    RotateAppSecret
}

impl RotateAppSecret {
    /// Returns a new secret; the session must be fresh. The newest of the previous secrets stays live until
    /// it is retired or the next rotation. `newest` is the newest live secret that the person saw: a form
    /// that is sent again creates nothing.
    pub async fn run(
        &self,
        command: AppCommand<'_>,
        newest: Option<ClientSecretId>,
    ) -> Result<Secret, DeveloperAppError> {
        let now = self.trail.now();
        if !command.session.is_fresh(now) {
            return Err(DeveloperAppError::NotFresh);
        }
        let mut unit = self.units.begin().await?;
        let (secret, stored) = match self.rotate(&mut *unit, command, newest, now).await {
            Ok(rotated) => rotated,
            Err(error) => return Err(refuse(unit, error).await),
        };
        let event = self.trail.event(AuditActor::Person, AuditKind::ClientSecretRotated);
        audit::commit(unit, &[describe(command, event, stored)]).await?;
        Ok(secret)
    }

    async fn rotate(
        &self,
        unit: &mut dyn UnitOfWork,
        command: AppCommand<'_>,
        newest: Option<ClientSecretId>,
        now: DateTime<Utc>,
    ) -> Result<(Secret, ClientSecretId), DeveloperAppError> {
        check_owner(unit, command.session).await?;
        let client = find_own(unit, command.session.user_id, command.id).await?;
        let mut live = unit.clients().list_secrets(command.id).await?;
        live.retain(|secret| secret.is_live(now));
        if live.last().map(|secret| secret.id) != newest {
            return Err(DeveloperAppError::SecretChanged);
        }
        add_secret(unit, &client, None, (self.trail.entropy.as_ref(), now)).await.map_err(|error| match error
        {
            ClientError::Storage(error) => DeveloperAppError::Storage(error),
            _ => DeveloperAppError::NoSecret,
        })
    }
}

crate::audit::use_case! {
    /// Retires secrets of developers' apps.
    RetireAppSecret
}

impl RetireAppSecret {
    /// Ends a live secret of an app that has another one.
    pub async fn run(
        &self,
        command: AppCommand<'_>,
        secret: ClientSecretId,
    ) -> Result<(), DeveloperAppError> {
        let mut unit = self.units.begin().await?;
        if let Err(error) = retire(&mut *unit, command, secret, self.trail.now()).await {
            return Err(refuse(unit, error).await);
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::ClientSecretRetired);
        Ok(audit::commit(unit, &[describe(command, event, secret)]).await?)
    }
}

async fn retire(
    unit: &mut dyn UnitOfWork,
    command: AppCommand<'_>,
    secret: ClientSecretId,
    now: DateTime<Utc>,
) -> Result<(), DeveloperAppError> {
    check_owner(unit, command.session).await?;
    find_own(unit, command.session.user_id, command.id).await?;
    let mut live = unit.clients().list_secrets(command.id).await?;
    live.retain(|one| one.is_live(now));
    if live.len() < 2 || live.iter().all(|one| one.id != secret) {
        return Err(DeveloperAppError::LastSecret);
    }
    unit.clients().expire_secret(command.id, secret, now).await?;
    Ok(())
}
