//! `restwell code`: manual authorization of a client by the operator.

use super::argument;
use super::output::{self, Record};
use super::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::Context;
use application::code::{CodeIssuer, NewCode};
use clap::{Args, Subcommand};
use domain::code::{CodeLifetime, PkceChallenge};
use domain::id::ClientId;
use domain::scope::Scope;
use domain::time::format;

/// Commands about authorization codes.
#[derive(Debug, Subcommand)]
pub(crate) enum CodeCommand {
    /// Create an authorization code, as if the user had granted access to the client
    #[command(after_help = "Example:\n  restwell code create --client CLIENT_ID --user ada@example.org \
        --redirect-uri https://owl.example/callback --scope profile --scope sleep\n\n\
        The client redeems it at /api/token.")]
    Create(CreateArguments),
}

/// Bindings of the code.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Client that may redeem the code
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: ClientId,
    /// User whose data the code gives access to (id or email address)
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: UserRef,
    /// One of the client's redirect URIs, exactly
    #[arg(long, value_name = "URI")]
    redirect_uri: String,
    /// Granted scope; repeatable
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = Scope::parse)]
    scopes: Vec<Scope>,
    /// PKCE challenge (S256) for the code; apps that require PKCE need one
    #[arg(long, value_name = "CHALLENGE", value_parser = PkceChallenge::parse, allow_hyphen_values = true)]
    code_challenge: Option<PkceChallenge>,
    /// Lifetime of the code, at most 10m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = argument::code_lifetime)]
    ttl: CodeLifetime,
    /// Print `{"code","expires_at"}`
    #[arg(long)]
    json: bool,
}

/// Runs a command about codes.
pub(crate) async fn run(command: CodeCommand, services: &Services) -> anyhow::Result<()> {
    let CodeCommand::Create(arguments) = command;
    let CreateArguments { client, user, redirect_uri, scopes, code_challenge, ttl, json } = arguments;
    let user_id = user.id(services).await?;
    let new = NewCode {
        client_id: client,
        user_id,
        redirect_uri,
        scopes: argument::scopes(&scopes),
        challenge: code_challenge,
        lifetime: ttl,
    };
    let issued = services.codes().issue(CodeIssuer::Operator, new).await;
    let issued = issued.context("the code was not created")?;
    let record =
        Record::new().with("code", issued.code.expose()).with("expires_at", format::utc(issued.expires_at));
    Ok(output::print(&record, json)?)
}
