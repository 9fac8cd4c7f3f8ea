//! Approves an app that a person registered.

use crate::audit;
use crate::operator::ClientError;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::id::ClientId;
use domain::webhook::WebhookEndpoint;

audit::use_case! {
    /// Approves apps of developers.
    ApproveClient
}

impl ApproveClient {
    /// Approves a client, so that everyone can use it, and its webhook endpoints, whose receivers may then be
    /// on a private network; returns the client. Does nothing if both are approved, and fails if the client
    /// has another `revision` than the reviewed one.
    pub async fn run(&self, id: ClientId, revision: &str) -> Result<Client, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?;
        let Some(client) = client else {
            return unit.refuse(ClientError::NotFound).await;
        };
        let endpoints = unit.webhooks().list(id).await?;
        if revision != client.revision(&endpoints) {
            return unit.refuse(ClientError::ChangedSinceReview).await;
        }
        if !client.review.is_draft() && endpoints.iter().all(|endpoint| endpoint.is_reviewed) {
            unit.rollback().await?;
            return Ok(client);
        }
        for endpoint in endpoints.into_iter().filter(|endpoint| !endpoint.is_reviewed) {
            unit.webhooks().update(&WebhookEndpoint { is_reviewed: true, ..endpoint }).await?;
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
