//! Approves an app that a person registered.

use crate::audit;
use crate::operator::ClientError;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::id::ClientId;

audit::use_case! {
    /// Approves apps of developers.
    ApproveClient
}

impl ApproveClient {
    /// Approves a client, so that everyone can use it, and returns it. An approved one stays unchanged. If a
    /// `revision` is specified, a client that has a different one by now is not approved.
    pub async fn run(&self, id: ClientId, revision: Option<&str>) -> Result<Client, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?;
        let Some(client) = client else {
            return unit.refuse(ClientError::NotFound).await;
        };
        if revision.is_some_and(|reviewed| reviewed != client.revision()) {
            return unit.refuse(ClientError::ChangedSinceReview).await;
        }
        if !client.review.is_draft() {
            unit.rollback().await?;
            return Ok(client);
        }
        let approved = Client { review: client.review.approved(), ..client };
        unit.clients().update(&approved).await?;
        // If the app becomes a draft again, the list starts empty.
        unit.draft_users().clear(id).await?;
        let event = self.trail.event(AuditActor::Operator, AuditKind::AppApproved).client(id);
        audit::commit(unit, &[event]).await?;
        Ok(approved)
    }
}
