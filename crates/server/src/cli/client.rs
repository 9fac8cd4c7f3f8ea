//! `restwell client`: apps and service clients.

mod approval;

use super::argument::{self, ListArguments};
use super::output::{self, PAGE, Record};
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::client::{ClientChange, Clients, NewClient};
use application::ports::storage::ClientWithSecrets;
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::client::{Client, ClientKind, ClientName, ClientPages, ClientStatus, RedirectUri, WebPage};
use domain::id::ClientId;
use domain::scope::Scope;
use domain::secret::Secret;
use domain::time::format;
use domain::webhook::WebhookEndpoint;
use serde_json::Value;

/// Commands about clients.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Register a client and print its `client_id` and `client_secret`; the secret is shown only once
    #[command(
        after_help = "Examples:\n  restwell client create --name \"Night Owl\" --redirect-uri https://owl.example/callback --scope profile --scope sleep\n  restwell client create --public --name \"Owl CLI\" --redirect-uri http://127.0.0.1/callback --scope sleep"
    )]
    Create(CreateArguments),
    /// List clients
    List(ListClientsArguments),
    /// Approve an app that a person registered on the /developer page, so that everyone can use it
    #[command(
        after_help = "On a terminal it shows the app and asks. Approving an app also approves its webhook endpoints.\n\n\
        Example of a script:\n  restwell client show 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48\n  restwell client approve 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48 --revision 5d1f0c9b7a6e4d3c2b1a09f8e7d6c5b4"
    )]
    Approve(ApproveArguments),
    /// Show one client
    Show(OneArguments),
    /// Update a client; lists replace the previous ones
    Update(UpdateArguments),
    /// Create a new secret for a client and print it; the previous secret stays valid for a while
    #[command(
        after_help = "Example:\n  restwell client rotate-secret 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48 --overlap 24h"
    )]
    RotateSecret(RotateArguments),
    /// Disable a client: its secrets and tokens are rejected
    Disable(OneArguments),
    /// Enable a client again
    Enable(OneArguments),
}

/// Client to register.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct CreateArguments {
    /// Name shown to users
    #[arg(long, value_parser = ClientName::parse)]
    name: ClientName,
    /// Redirect URI, compared exactly, except for the port of a public app's loopback address; repeatable
    #[arg(long = "redirect-uri", value_name = "URI", value_parser = RedirectUri::parse)]
    redirect_uris: Vec<RedirectUri>,
    /// Home page of the app, an https URL that the consent page links to
    #[arg(long, value_name = "URL", value_parser = WebPage::parse)]
    home_page: Option<WebPage>,
    /// Privacy policy of the app, an https URL that the consent page links to
    #[arg(long, value_name = "URL", value_parser = WebPage::parse)]
    privacy_policy: Option<WebPage>,
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = Scope::parse, help = scope_help())]
    scopes: Vec<Scope>,
    /// Reject secrets in query strings from this client
    #[arg(long)]
    no_query_secrets: bool,
    /// Require PKCE from this client
    #[arg(long)]
    require_pkce: bool,
    /// Register a public app, which cannot keep a secret: a native app, a command-line tool or an assistant.
    /// It gets no secret, must use PKCE, and its refresh tokens rotate
    #[arg(long)]
    public: bool,
    /// Register a service client: your own backend that writes data with `client_credentials`; it has no
    /// redirect URI
    #[arg(long, conflicts_with_all = ["redirect_uris", "public"])]
    service: bool,
    /// Print `{"client_id","client_secret"}`; for a public app `{"client_id"}`
    #[arg(long)]
    json: bool,
}

fn scope_help() -> String {
    let names = |by_consent| {
        let scopes = Scope::ALL.into_iter().filter(|scope| scope.by_consent() == by_consent);
        scopes.map(Scope::as_str).collect::<Vec<_>>().join(", ")
    };
    let (apps, services) = (names(true), names(false));
    format!("Scope that the client may request; repeatable. Apps: {apps}. Service clients: {services}")
}

/// Filters for clients.
#[derive(Debug, Args)]
pub(crate) struct ListClientsArguments {
    /// Only apps that people registered and that are not approved
    #[arg(long)]
    drafts: bool,
    #[command(flatten)]
    list: ListArguments,
}

/// A client.
#[derive(Debug, Args)]
pub(crate) struct OneArguments {
    /// Client id
    #[arg(value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client_id: ClientId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// App to approve.
#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// Client id
    #[arg(value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client_id: ClientId,
    /// The `revision` that `restwell client show` printed; if the app was changed since, it is not approved.
    /// Required without a terminal
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Changes to a client.
#[derive(Debug, Args)]
pub(crate) struct UpdateArguments {
    /// Client id
    #[arg(value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client_id: ClientId,
    /// New name
    #[arg(long, value_parser = ClientName::parse)]
    name: Option<ClientName>,
    /// New list of redirect URIs; repeatable
    #[arg(long = "redirect-uri", value_name = "URI", value_parser = RedirectUri::parse)]
    redirect_uris: Vec<RedirectUri>,
    /// New home page, an https URL
    #[arg(long, value_name = "URL", value_parser = WebPage::parse)]
    home_page: Option<WebPage>,
    /// New privacy policy, an https URL
    #[arg(long, value_name = "URL", value_parser = WebPage::parse)]
    privacy_policy: Option<WebPage>,
    /// New list of scopes; existing grants keep theirs; repeatable
    #[arg(long = "scope", value_name = "SCOPE", value_parser = Scope::parse)]
    scopes: Vec<Scope>,
    /// Whether secrets are accepted in query strings, true or false
    #[arg(long, value_name = "BOOL")]
    allow_query_secrets: Option<bool>,
    /// Whether PKCE is required, true or false
    #[arg(long, value_name = "BOOL")]
    require_pkce: Option<bool>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Secret rotation of a client.
#[derive(Debug, Args)]
pub(crate) struct RotateArguments {
    /// Client id
    #[arg(value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client_id: ClientId,
    /// How long the previous secret stays valid, such as 24h; by default until the next rotation
    #[arg(long, value_name = "TIME", value_parser = argument::span)]
    overlap: Option<TimeDelta>,
    /// Print `{"client_id","client_secret"}`
    #[arg(long)]
    json: bool,
}

/// Runs a command about clients.
pub(crate) async fn run(command: ClientCommand, services: &Services) -> anyhow::Result<()> {
    let clients = &services.clients();
    match command {
        ClientCommand::Create(arguments) => create(clients, arguments).await,
        ClientCommand::List(arguments) => list(services, &arguments).await,
        ClientCommand::Approve(arguments) => approval::run(clients, services, &arguments).await,
        ClientCommand::Show(arguments) => show(services, &arguments).await,
        ClientCommand::Update(arguments) => update(clients, services, arguments).await,
        ClientCommand::RotateSecret(arguments) => rotate(clients, &arguments).await,
        ClientCommand::Disable(arguments) => enable(clients, services, &arguments, false).await,
        ClientCommand::Enable(arguments) => enable(clients, services, &arguments, true).await,
    }
}

async fn create(clients: &Clients, arguments: CreateArguments) -> anyhow::Result<()> {
    let CreateArguments {
        name,
        redirect_uris,
        home_page,
        privacy_policy,
        scopes,
        no_query_secrets,
        require_pkce,
        public,
        service,
        json,
    } = arguments;
    let kind = match (service, public) {
        (true, _) => ClientKind::Service,
        (false, true) => ClientKind::PublicApp,
        (false, false) => ClientKind::App,
    };
    let new = NewClient {
        name,
        kind,
        redirect_uris,
        pages: ClientPages { home: home_page, privacy_policy },
        scopes: argument::scopes(&scopes),
        allow_query_secrets: !no_query_secrets,
        require_pkce,
    };
    let created = clients.create(new).await.context("the client was not created")?;
    match created.secret {
        Some(secret) => print_secret(created.client.id, &secret, json),
        None => Ok(output::print(&Record::new().with_text("client_id", created.client.id), json)?),
    }
}

async fn list(services: &Services, arguments: &ListClientsArguments) -> anyhow::Result<()> {
    let mut records = Vec::new();
    let mut after = None;
    loop {
        let clients = services.store.clients.list_clients(after, PAGE).await?;
        let Some(last) = clients.last() else { break };
        after = Some(last.id);
        let listed = clients.iter().filter(|client| !arguments.drafts || client.review.is_draft());
        records.extend(listed.map(summary));
    }
    Ok(output::print_list(&records, "clients", arguments.list.json)?)
}

async fn show(services: &Services, arguments: &OneArguments) -> anyhow::Result<()> {
    let (found, endpoints) = find(services, arguments.client_id).await?;
    let now = services.clock.now();
    let live = found.secrets.iter().filter(|secret| secret.is_live(now)).count();
    let record = details(&found.client, &endpoints).with("live_secrets", live);
    Ok(output::print(&record, arguments.json)?)
}

async fn find(
    services: &Services,
    id: ClientId,
) -> anyhow::Result<(ClientWithSecrets, Vec<WebhookEndpoint>)> {
    let found = services.store.clients.find_with_secrets(id).await?;
    let found = found.with_context(|| format!("there is no client {id}; see `restwell client list`"))?;
    Ok((found, services.store.webhooks.list_endpoints(Some(id)).await?))
}

async fn update(clients: &Clients, services: &Services, arguments: UpdateArguments) -> anyhow::Result<()> {
    let UpdateArguments {
        client_id,
        name,
        redirect_uris,
        home_page,
        privacy_policy,
        scopes,
        allow_query_secrets,
        require_pkce,
        json,
    } = arguments;
    let change = ClientChange {
        name,
        redirect_uris: (!redirect_uris.is_empty()).then_some(redirect_uris),
        home_page,
        privacy_policy,
        scopes: (!scopes.is_empty()).then(|| argument::scopes(&scopes)),
        allow_query_secrets,
        require_pkce,
        enabled: None,
    };
    if change == ClientChange::default() {
        bail!("nothing to change; see `restwell client update --help`");
    }
    apply(clients, services, client_id, change, json).await
}

async fn enable(
    clients: &Clients,
    services: &Services,
    arguments: &OneArguments,
    enabled: bool,
) -> anyhow::Result<()> {
    let change = ClientChange { enabled: Some(enabled), ..ClientChange::default() };
    apply(clients, services, arguments.client_id, change, arguments.json).await
}

async fn apply(
    clients: &Clients,
    services: &Services,
    id: ClientId,
    change: ClientChange,
    json: bool,
) -> anyhow::Result<()> {
    let client = clients.change(id, change).await;
    let client = client.with_context(|| format!("client {id} was not changed"))?;
    let endpoints = services.store.webhooks.list_endpoints(Some(id)).await?;
    Ok(output::print(&details(&client, &endpoints), json)?)
}

async fn rotate(clients: &Clients, arguments: &RotateArguments) -> anyhow::Result<()> {
    let RotateArguments { client_id, overlap, json } = arguments;
    let secret = clients.rotate_secret(*client_id, *overlap).await;
    print_secret(
        *client_id,
        &secret.with_context(|| format!("the secret of {client_id} was not rotated"))?,
        *json,
    )
}

fn print_secret(id: ClientId, secret: &Secret, json: bool) -> anyhow::Result<()> {
    let record = Record::new().with_text("client_id", id).with("client_secret", secret.expose());
    output::print(&record, json)?;
    output::note("save the client_secret now: it is not shown again, only its hash is stored");
    Ok(())
}

/// Returns how the operator reviewed a client: one with a metadata document by listing its host.
const fn review(client: &Client) -> &'static str {
    match (&client.document, client.review.is_draft()) {
        (Some(_), _) => "by host",
        (None, true) => "draft",
        (None, false) => "approved",
    }
}

fn summary(client: &Client) -> Record {
    let scopes: Vec<&str> = client.scopes.iter().map(Scope::as_str).collect();
    Record::new()
        .with_text("client_id", client.id)
        .with("name", client.name.as_str())
        .with("kind", if client.kind.is_app() { "app" } else { "service" })
        .with("type", if client.kind.is_public() { "public" } else { "confidential" })
        .with("status", if client.status.is_active() { "active" } else { "disabled" })
        .with("review", review(client))
        .with(
            "metadata_url",
            client.document.as_ref().map_or(Value::Null, |document| document.url.as_str().into()),
        )
        .with("scopes", scopes)
        .with("created_at", format::utc(client.created_at))
}

fn page(page: Option<&WebPage>) -> Value {
    page.map_or(Value::Null, |page| page.as_str().into())
}

fn details(client: &Client, endpoints: &[WebhookEndpoint]) -> Record {
    let disabled_at = match client.status {
        ClientStatus::Active => Value::Null,
        ClientStatus::Disabled { at } => format::utc(at).into(),
    };
    let uris: Vec<&str> = client.redirect_uris.iter().map(RedirectUri::as_str).collect();
    summary(client)
        .with("redirect_uris", uris)
        .with("home_page", page(client.pages.home.as_ref()))
        .with("privacy_policy", page(client.pages.privacy_policy.as_ref()))
        .with("contact", client.contact.as_ref().map_or(Value::Null, |contact| contact.as_str().into()))
        .with("webhooks", endpoints.iter().map(|endpoint| endpoint.url.as_str()).collect::<Vec<_>>())
        .with_text("revision", client.revision(endpoints))
        .with("owner", client.review.owner().map_or(Value::Null, |owner| owner.to_string().into()))
        .with("allow_query_secrets", client.allow_query_secrets)
        .with("require_pkce", client.require_pkce)
        .with("disabled_at", disabled_at)
}
