//! `restwell code`: authorizing a client for a person by hand.

use super::argument;
use super::output::{self, Record};
use super::user_ref::UserRef;
use crate::settings::Settings;
use crate::wiring::Session;
use anyhow::Context;
use application::operator::{IssueCode, IssueCodeCommand};
use clap::{Args, Subcommand};
use domain::code::CodeLifetime;
use domain::id::ClientId;
use domain::scope::Scope;
use domain::time::format;

/// What to do with authorization codes.
#[derive(Debug, Subcommand)]
pub(crate) enum CodeCommand {
    /// Create an authorization code, as if the person had allowed the client to read their data
    #[command(after_help = "Example:\n  restwell code create --client CLIENT_ID --user ada@example.org \
        --redirect-uri https://owl.example/callback --scope profile --scope sleep\n\n\
        The client redeems it at /api/token.")]
    Create(CreateArguments),
}

/// What the code is bound to.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// The client that may redeem it
    #[arg(long, value_name = "CLIENT_ID", value_parser = argument::client_id)]
    client: ClientId,
    /// The person whose data it gives access to, named by id or email address
    #[arg(long, value_name = "USER", value_parser = argument::user)]
    user: UserRef,
    /// One of the client's redirect URIs, letter by letter
    #[arg(long, value_name = "URI")]
    redirect_uri: String,
    /// A scope that is granted; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = argument::scope)]
    scopes: Vec<Scope>,
    /// How long it may be redeemed, at most 10m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = argument::code_lifetime)]
    ttl: CodeLifetime,
    /// Print `{"code","expires_at"}`
    #[arg(long)]
    json: bool,
}

/// Runs a command about codes.
pub(crate) async fn run(command: CodeCommand, settings: &Settings) -> anyhow::Result<()> {
    let CodeCommand::Create(arguments) = command;
    let CreateArguments { client, user, redirect_uri, scopes, ttl, json } = arguments;
    let session = Session::open(settings).await?;
    let user_id = user.id(&session).await?;
    let Session { store, clock, entropy } = session;
    let command = IssueCodeCommand {
        client_id: client,
        user_id,
        redirect_uri,
        scopes: argument::scopes(&scopes),
        lifetime: ttl,
    };
    let issued = IssueCode::new(store.units.clone(), entropy, clock).run(command).await;
    let issued = issued.context("the code was not created")?;
    let record =
        Record::new().with("code", issued.code.expose()).with("expires_at", format::utc(issued.expires_at));
    Ok(output::print(&record, json)?)
}
