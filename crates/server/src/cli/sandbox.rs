//! `restwell sandbox`: synthetic people for app developers.

use super::argument::ListArguments;
use super::output::{self, Record};
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::code::{CodeIssuer, NewCode};
use application::erasure::Erasure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use domain::client::Client;
use domain::code::CodeLifetime;
use domain::id::ClientId;
use domain::sandbox::{SandboxPerson, Story};
use domain::scope::{Scope, ScopeSet};
use domain::time::format;

/// Commands about sandbox people.
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Create sandbox people with records up to yesterday; prints their ids
    #[command(after_help = "Examples:\n  restwell sandbox create\n  restwell sandbox create --story gaps \
        --story two-devices --client CLIENT_ID --json\n\n\
        A running server adds the records of each new day. Nobody can sign in as a sandbox person, and \
        `restwell user list` leaves them out. `restwell code create` creates further codes for them.")]
    Create(CreateArguments),
    /// List sandbox people
    List(ListArguments),
    /// Erase all sandbox people and their data; prints a receipt for each
    Erase(EraseArguments),
}

/// Sandbox people to create.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Story of the records; repeatable, one person each; by default one person per story
    #[arg(long = "story", value_name = "STORY", value_parser = story_parser())]
    stories: Vec<Story>,
    /// App that gets a code for each person, with its first redirect URI and all its scopes, valid for 10
    /// minutes
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: Option<ClientId>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Confirmation of the erasure.
#[derive(Debug, Args)]
pub(crate) struct EraseArguments {
    /// Confirm the operation
    #[arg(long)]
    yes: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Parses the name of a story; the help lists all of them with their descriptions.
fn story_parser() -> impl TypedValueParser<Value = Story> {
    let values = Story::ALL.map(|story| PossibleValue::new(story.as_str()).help(story.description()));
    PossibleValuesParser::new(values).try_map(|name| Story::parse(&name).ok_or("unknown story"))
}

/// Runs a command about sandbox people.
pub(crate) async fn run(command: SandboxCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        SandboxCommand::Create(arguments) => create(services, arguments).await,
        SandboxCommand::List(arguments) => list(services, arguments.json).await,
        SandboxCommand::Erase(arguments) => erase(services, &arguments).await,
    }
}

async fn create(services: &Services, arguments: CreateArguments) -> anyhow::Result<()> {
    let CreateArguments { stories, client, json } = arguments;
    let app = match client {
        Some(id) => Some(find_app(services, id).await?),
        None => None,
    };
    let stories = if stories.is_empty() { Story::ALL.to_vec() } else { stories };
    let people = services.sandbox_people().create(None, &stories).await;
    let people = people
        .context("not all sandbox people were created; `restwell sandbox list` shows those that were")?;
    let mut records = Vec::with_capacity(people.len());
    for person in &people {
        let record = summary(person);
        records.push(match &app {
            Some(app) => with_code(services, app, person, record).await?,
            None => record,
        });
    }
    Ok(output::print_list(&records, "sandbox people", json)?)
}

/// Returns the app if it can receive codes without further input.
async fn find_app(services: &Services, id: ClientId) -> anyhow::Result<Client> {
    let found = services.store.clients.find_with_secrets(id).await?;
    let app = found.with_context(|| format!("there is no client {id}; see `restwell client list`"))?.client;
    if !app.status.is_active() || app.redirect_uris.is_empty() {
        bail!("client {id} is disabled or does not use authorization codes");
    }
    if app.require_pkce {
        bail!(
            "client {id} requires PKCE; use `restwell code create --code-challenge` for each sandbox person"
        );
    }
    Ok(app)
}

/// Adds a code for the app to what is printed about a person.
async fn with_code(
    services: &Services,
    app: &Client,
    person: &SandboxPerson,
    record: Record,
) -> anyhow::Result<Record> {
    let redirect_uri = app.redirect_uris.first().context("the client has no redirect URI")?.as_str();
    let new = NewCode {
        client_id: app.id,
        user_id: person.user_id,
        redirect_uri: redirect_uri.to_owned(),
        scopes: app.scopes,
        challenge: None,
        lifetime: CodeLifetime::MAX,
    };
    let issued = services.codes().issue(CodeIssuer::Operator, new).await;
    let issued = issued.context("the sandbox people were created, but a code was not")?;
    Ok(record
        .with("code", issued.code.expose())
        .with("expires_at", format::utc(issued.expires_at))
        .with("redirect_uri", redirect_uri)
        .with("scopes", names(app.scopes)))
}

fn names(scopes: ScopeSet) -> Vec<&'static str> {
    scopes.iter().map(Scope::as_str).collect()
}

async fn list(services: &Services, json: bool) -> anyhow::Result<()> {
    let people = services.sandbox_people().list(None).await?;
    let listed = |person: &SandboxPerson| {
        summary(person)
            .with("owner_id", person.owner.map(|owner| owner.to_string()))
            .with("records_until", person.records_until.to_string())
    };
    Ok(output::print_list(&people.iter().map(listed).collect::<Vec<_>>(), "sandbox people", json)?)
}

async fn erase(services: &Services, arguments: &EraseArguments) -> anyhow::Result<()> {
    if !arguments.yes {
        bail!("this erases every sandbox person, including those of developers; add --yes to confirm");
    }
    let receipts = services.sandbox_people().erase_all(None).await?;
    let receipt = |erasure: &Erasure| {
        Record::new().with_text("erasure_id", erasure.id).with("erased_at", format::utc(erasure.at))
    };
    Ok(output::print_list(
        &receipts.iter().map(receipt).collect::<Vec<_>>(),
        "sandbox people",
        arguments.json,
    )?)
}

fn summary(person: &SandboxPerson) -> Record {
    Record::new()
        .with_text("user_id", person.user_id)
        .with("email", person.email().as_str())
        .with("story", person.story.as_str())
}
