//! `restwell webhook`: where apps are notified that something changed.

use super::argument;
use super::output::{self, Record};
use crate::lifecycle::Cleaning;
use crate::wiring::Services;
use anyhow::{Context, anyhow};
use application::webhook::{CreateWebhookError, CreatedWebhook, WebhookActor, WebhookError, Webhooks};
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::id::{ClientId, WebhookEndpointId};
use domain::outbound::OutboundUrl;
use domain::time::format;
use domain::user::Email;
use domain::webhook::{Delivery, EndpointStatus, EventKind, WebhookEndpoint, WebhookSecret};

/// Commands about webhook endpoints.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// Create an endpoint and print its secret, which is not shown again; the server sends it a challenge
    #[command(
        after_help = "The endpoint receives events once it has returned the challenge. If the receiver needs the \
        secret first, wait: the server retries after 5 seconds and after 5 minutes; `restwell webhook test` \
        retries at once.\n\n\
        Example:\n  restwell webhook create --client 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48 --url https://owl.example/hooks"
    )]
    Create(CreateArguments),
    /// List endpoints
    List(ListArguments),
    /// Send a test event, or a challenge if the endpoint is not active
    Test(OneArguments),
    /// Create a new secret for an endpoint and print it; for 24 hours, messages are signed with both
    Rotate(OneArguments),
    /// Delete an endpoint
    Delete(OneArguments),
    /// Show the latest deliveries to an endpoint
    Deliveries(DeliveriesArguments),
    /// Send the notifications of changed records again
    #[command(after_help = "Example, after the receiver lost a day of messages:\n  \
        restwell webhook replay 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48 --last 24h")]
    Replay(ReplayArguments),
}

/// The new endpoint.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Client id of the app
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: ClientId,
    /// URL that events are posted to: https, or http to this machine if the server's public URL is on
    /// loopback
    #[arg(long, value_name = "URL", value_parser = OutboundUrl::parse)]
    url: OutboundUrl,
    /// Email address that is notified if the endpoint is disabled
    #[arg(long, value_name = "EMAIL", value_parser = Email::parse, allow_hyphen_values = true)]
    contact: Option<Email>,
    /// Print `{"endpoint_id","secret"}`
    #[arg(long)]
    json: bool,
}

/// Filters for endpoints.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only endpoints of this client
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: Option<ClientId>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// An endpoint.
#[derive(Debug, Args)]
pub(crate) struct OneArguments {
    /// Endpoint id, from `restwell webhook list`
    #[arg(value_name = "ENDPOINT_ID", value_parser = WebhookEndpointId::parse)]
    endpoint_id: WebhookEndpointId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Filters for deliveries.
#[derive(Debug, Args)]
pub(crate) struct DeliveriesArguments {
    /// Endpoint id, from `restwell webhook list`
    #[arg(value_name = "ENDPOINT_ID", value_parser = WebhookEndpointId::parse)]
    endpoint_id: WebhookEndpointId,
    /// Maximum number of deliveries, latest first
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Endpoint and period of a replay.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Endpoint id, from `restwell webhook list`
    #[arg(value_name = "ENDPOINT_ID", value_parser = WebhookEndpointId::parse)]
    endpoint_id: WebhookEndpointId,
    /// How far back to go, such as 24h; the log covers at most 30 days
    #[arg(long, value_name = "TIME", value_parser = replay_period)]
    last: TimeDelta,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Parses a period that the log of deliveries can cover.
fn replay_period(text: &str) -> Result<TimeDelta, String> {
    argument::span_up_to(text, Cleaning::KEEP_DELIVERIES)
}

/// Runs a command about webhook endpoints.
pub(crate) async fn run(command: WebhookCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        WebhookCommand::Create(arguments) => create(services, arguments).await,
        WebhookCommand::List(arguments) => list(services, &arguments).await,
        WebhookCommand::Test(arguments) => test(&manage(services).await?, &arguments).await,
        WebhookCommand::Rotate(arguments) => rotate(&manage(services).await?, &arguments).await,
        WebhookCommand::Delete(arguments) => delete(&manage(services).await?, &arguments).await,
        WebhookCommand::Deliveries(arguments) => deliveries(services, &arguments).await,
        WebhookCommand::Replay(arguments) => replay(services, &arguments).await,
    }
}

async fn manage(services: &Services) -> anyhow::Result<Webhooks> {
    Ok(services.webhooks(services.encryption_key().await?))
}

async fn create(services: &Services, arguments: CreateArguments) -> anyhow::Result<()> {
    let CreateArguments { client, url, contact, json } = arguments;
    let manage = manage(services).await?;
    let created = manage.create_for_client(client, url, contact).await.map_err(|error| match error {
        CreateWebhookError::Endpoint(WebhookError::Forbidden) => {
            anyhow!("{error}; see the setting outbound.allow_private_networks")
        }
        error => error.into(),
    });
    let CreatedWebhook { endpoint, secret } = created.context("the webhook endpoint was not created")?;
    print_secret(endpoint.id, &secret, json)?;
    output::note("a running server now sends the challenge; see `restwell webhook list`");
    Ok(())
}

async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let endpoints = services.store.webhooks.list_endpoints(arguments.client).await?;
    let records: Vec<Record> = endpoints.iter().map(record).collect();
    Ok(output::print_list(&records, "webhook endpoints", arguments.json)?)
}

async fn test(manage: &Webhooks, arguments: &OneArguments) -> anyhow::Result<()> {
    let kind = manage.test(WebhookActor::Operator, arguments.endpoint_id).await;
    let kind = kind.context("nothing was sent")?;
    let record = Record::new().with_text("endpoint_id", arguments.endpoint_id).with("type", kind.as_str());
    output::print(&record, arguments.json)?;
    output::note("a running server sends it now; see `restwell webhook deliveries`");
    Ok(())
}

async fn rotate(manage: &Webhooks, arguments: &OneArguments) -> anyhow::Result<()> {
    let secret = manage.rotate_for_client(arguments.endpoint_id).await;
    print_secret(arguments.endpoint_id, &secret.context("the secret was not rotated")?, arguments.json)
}

async fn delete(manage: &Webhooks, arguments: &OneArguments) -> anyhow::Result<()> {
    let deleted = manage.delete(WebhookActor::Operator, arguments.endpoint_id).await;
    deleted.context("nothing was deleted")?;
    Ok(output::print(&Record::new().with_text("deleted", arguments.endpoint_id), arguments.json)?)
}

async fn deliveries(services: &Services, arguments: &DeliveriesArguments) -> anyhow::Result<()> {
    let DeliveriesArguments { endpoint_id, limit, json } = arguments;
    let deliveries = services.store.webhooks.list_deliveries(*endpoint_id, *limit).await?;
    let records: Vec<Record> = deliveries.iter().map(delivery).collect();
    Ok(output::print_list(&records, "deliveries", *json)?)
}

async fn replay(services: &Services, arguments: &ReplayArguments) -> anyhow::Result<()> {
    let manage = manage(services).await?;
    let people = manage.replay(WebhookActor::Operator, arguments.endpoint_id, arguments.last).await;
    let people = people.context("nothing was sent again")?;
    Ok(output::print(&Record::new().with("people", people), arguments.json)?)
}

fn print_secret(id: WebhookEndpointId, secret: &WebhookSecret, json: bool) -> anyhow::Result<()> {
    let record = Record::new().with_text("endpoint_id", id).with("secret", secret.expose().as_str());
    output::print(&record, json)?;
    output::note("save the secret now: it is not shown again");
    Ok(())
}

fn record(endpoint: &WebhookEndpoint) -> Record {
    let (status, disabled_at) = match endpoint.status {
        EndpointStatus::Unconfirmed => ("unconfirmed", None),
        EndpointStatus::Active => ("active", None),
        EndpointStatus::Disabled { at, reason } => (reason.as_str(), Some(at)),
    };
    Record::new()
        .with_text("endpoint_id", endpoint.id)
        .with_text("client_id", endpoint.client_id)
        .with("url", endpoint.url.as_str())
        .with("status", status)
        .with("reviewed", endpoint.is_reviewed)
        .with("disabled_at", disabled_at.map(format::utc))
        .with("contact", endpoint.contact.as_ref().map(Email::as_str))
        .with("created_at", format::utc(endpoint.created_at))
}

fn delivery(delivery: &Delivery) -> Record {
    let Delivery { event, at, milliseconds, result, next_attempt_at, .. } = delivery;
    let user = (event.kind == EventKind::RecordsChanged).then(|| event.user_id.to_string());
    Record::new()
        .with("at", format::utc(*at))
        .with("type", event.kind.as_str())
        .with("result", result.to_name())
        .with("milliseconds", *milliseconds)
        .with("next_attempt_at", next_attempt_at.map(format::utc))
        .with("user_id", user)
        .with("message_id", delivery.message_id().map(|id| id.to_string()))
}
