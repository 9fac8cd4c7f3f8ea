//! `restwell client approve`.

use super::{ApproveArguments, details, find};
use crate::cli::output::{self, PAGE, Record};
use crate::cli::streams;
use crate::wiring::Services;
use anyhow::{Context as _, anyhow, bail};
use application::audit::AuditFilter;
use application::client::{ClientError, Clients};
use chrono::{DateTime, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::id::ClientId;
use domain::time::format;
use domain::webhook::WebhookEndpoint;
use std::io::BufRead;

/// Approves an app as its revision names it, or as shown on the terminal.
pub(super) async fn run(
    clients: &Clients,
    services: &Services,
    arguments: &ApproveArguments,
) -> anyhow::Result<()> {
    let ApproveArguments { client_id, revision, json } = arguments;
    let revision = match revision {
        Some(revision) => revision.clone(),
        None => review(services, *client_id).await?,
    };
    let approved = clients.approve(*client_id, &revision).await.map_err(|error| match error {
        ClientError::ChangedSinceReview => anyhow!("{error}; review it again with `restwell client show`"),
        error => error.into(),
    });
    let client = approved.with_context(|| format!("client {client_id} was not approved"))?;
    let endpoints = services.store.webhooks.list_endpoints(Some(*client_id)).await?;
    Ok(output::print(&details(&client, &endpoints), *json)?)
}

/// Shows an app and asks whether to approve it; returns the revision that was shown.
async fn review(services: &Services, id: ClientId) -> anyhow::Result<String> {
    let Some(mut answers) = streams::terminal() else {
        bail!(
            "without a terminal, name what you reviewed: --revision with the `revision` that \
             `restwell client show {id}` prints"
        );
    };
    let (found, endpoints) = find(services, id).await?;
    let history = history(services, id).await?;
    output::note(output::text(&with_review(details(&found.client, &endpoints), &endpoints, &history)));
    output::note("Approve this app, so that everyone can use it? [y/N]");
    if !is_confirmed(&mut answers)? {
        bail!("nothing was approved");
    }
    Ok(found.client.revision(&endpoints))
}

/// Lists the approvals and changes of an app, latest first.
async fn history(services: &Services, id: ClientId) -> anyhow::Result<Vec<AuditEvent>> {
    let kinds = Some(&[AuditKind::AppApproved, AuditKind::AppChanged][..]);
    let filter = AuditFilter { user_id: None, client_id: Some(id), kinds, since: None };
    Ok(services.store.audit.list_events(filter, None, PAGE).await?)
}

/// Adds what the operator has not reviewed yet.
fn with_review(record: Record, endpoints: &[WebhookEndpoint], history: &[AuditEvent]) -> Record {
    let is_approval = |event: &&AuditEvent| event.kind == AuditKind::AppApproved;
    let approved_at = history.iter().find(is_approval).map(|event| event.at);
    let is_later = |at: DateTime<Utc>| approved_at.is_none_or(|approved| approved < at);
    let changes = history.iter().filter(|event| event.kind == AuditKind::AppChanged && is_later(event.at));
    let changes: Vec<String> = changes.map(|event| format::utc(event.at)).collect();
    let new = endpoints.iter().filter(|endpoint| !endpoint.is_reviewed);
    let new: Vec<&str> = new.map(|endpoint| endpoint.url.as_str()).collect();
    record
        .with("new_webhooks", new)
        .with("last_approved_at", approved_at.map(format::utc))
        .with("changed_since", changes)
}

fn is_confirmed(answers: &mut dyn BufRead) -> std::io::Result<bool> {
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::audit::AuditActor;
    use domain::id::AuditEventId;
    use uuid::Uuid;

    #[test]
    fn only_yes_approves() {
        for (answer, expected) in
            [("y\n", true), ("Yes\r\n", true), ("n\n", false), ("\n", false), ("", false), ("yep\n", false)]
        {
            assert_eq!(is_confirmed(&mut answer.as_bytes()).unwrap(), expected, "{answer:?}");
        }
    }

    #[test]
    fn the_changes_since_the_last_approval_are_shown() {
        let event = |kind, second| {
            let (id, at) = (AuditEventId::from_uuid(Uuid::nil()), DateTime::from_timestamp(second, 0));
            AuditEvent::new(id, at.unwrap(), kind, AuditActor::Person)
        };
        let (approved, changed) = (AuditKind::AppApproved, AuditKind::AppChanged);
        let shown = |history: &[AuditEvent]| with_review(Record::new(), &[], history).to_json().unwrap();
        assert_eq!(
            shown(&[event(approved, 20), event(changed, 30), event(changed, 10)]),
            r#"{"new_webhooks":[],"last_approved_at":"1970-01-01T00:00:20Z","changed_since":["1970-01-01T00:00:30Z"]}"#
        );
        assert_eq!(
            shown(&[event(changed, 10)]),
            r#"{"new_webhooks":[],"last_approved_at":null,"changed_since":["1970-01-01T00:00:10Z"]}"#
        );
    }
}
