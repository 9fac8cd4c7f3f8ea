//! Changes an app of a developer.

use super::app_details::{AppDetails, AppForm, is_reserved};
use super::{DeveloperAppError, check_owner, find_own, refuse};
use crate::audit;
use crate::ports::storage::{ClientReader, UnitOfWork};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ServerNames};
use domain::id::ClientId;
use domain::session::Session;
use std::net::IpAddr;
use std::sync::Arc;

/// Input of [`ChangeApp`].
#[derive(Debug, Clone, Copy)]
pub struct ChangeAppCommand<'a> {
    /// The developer's session, which must be fresh.
    pub session: &'a Session,
    /// The app.
    pub id: ClientId,
    /// New details.
    pub form: AppForm<'a>,
    /// Names that the app must not imitate.
    pub server: ServerNames<'a>,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Effect of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedApp {
    /// The review state is unchanged.
    SameReview,
    /// The app was approved, and is a draft again.
    NeedsReview,
}

crate::audit::use_case! {
    /// Changes apps of developers.
    ChangeApp { clients: Arc<dyn ClientReader> }
}

impl ChangeApp {
    /// Replaces the details of an app. An approved app may become a draft again; its grants stay.
    pub async fn run(&self, command: ChangeAppCommand<'_>) -> Result<ChangedApp, DeveloperAppError> {
        let ChangeAppCommand { session, id, form, server, address } = command;
        if !session.is_fresh(self.trail.now()) {
            return Err(DeveloperAppError::NotFresh);
        }
        let is_reserved = is_reserved(form.name, server, session.user_id, self.clients.as_ref()).await?;
        let mut unit = self.units.begin().await?;
        let (before, after) = match change(&mut *unit, session, id, form, is_reserved).await {
            Ok(changed) => changed,
            Err(error) => return Err(refuse(unit, error).await),
        };
        let event = (before != after).then(|| {
            let event = self.trail.event(AuditActor::Person, AuditKind::AppChanged);
            event.user(session.user_id).client(id).from(address)
        });
        audit::commit(unit, event.as_slice()).await?;
        let needs_review = after.review.is_draft() && !before.review.is_draft();
        Ok(if needs_review { ChangedApp::NeedsReview } else { ChangedApp::SameReview })
    }
}

async fn change(
    unit: &mut dyn UnitOfWork,
    session: &Session,
    id: ClientId,
    form: AppForm<'_>,
    is_reserved: bool,
) -> Result<(Client, Client), DeveloperAppError> {
    check_owner(unit, session).await?;
    let before = find_own(unit, session.user_id, id).await?;
    // The operator can give an app any name.
    let is_reserved = is_reserved && form.name != before.name.as_str();
    let details = AppDetails::read(form, is_reserved).map_err(DeveloperAppError::Invalid)?;
    let after = details.applied_to(&before);
    if before != after && !unit.clients().update(&after).await? {
        return Err(DeveloperAppError::NotFound);
    }
    Ok((before, after))
}
