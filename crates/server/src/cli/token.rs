//! `restwell token`: personal access tokens, which people create for their own scripts and assistants.

use super::argument;
use super::output::{self, Record};
use super::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::personal_token::{ListedPersonalToken, NewPersonalToken};
use application::session::AccountActor;
use clap::{Args, Subcommand};
use domain::id::{PersonalTokenId, UserId};
use domain::listed;
use domain::scope::{Scope, ScopeSet};
use domain::time::format;

/// Commands about personal access tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token that lets a script or an assistant read a user's data; it is printed once
    #[command(after_help = "Example:\n  restwell token create --user ada@example.org --scope sleep \
        --name Assistant --expires-in 90d")]
    Create(CreateArguments),
    /// List a user's tokens, including expired and revoked ones
    #[command(after_help = "Example:\n  restwell token list --user ada@example.org")]
    List(ListArguments),
    /// Revoke one or all tokens of a user; they are rejected within two seconds
    #[command(after_help = "Example:\n  restwell token revoke --user ada@example.org")]
    Revoke(RevokeArguments),
}

/// The new token.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// User id or email address
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: UserRef,
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = Scope::parse, help = scope_help())]
    scopes: Vec<Scope>,
    /// Name shown to the user on the tokens page
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Lifetime in days, such as 90d, at most 366d; without it the token never expires
    #[arg(long, value_name = "TIME", value_parser = argument::days)]
    expires_in: Option<u32>,
    /// Print `{"token"}`
    #[arg(long)]
    json: bool,
}

fn scope_help() -> String {
    let names: Vec<_> = ScopeSet::CONSENTABLE.iter().map(Scope::as_str).collect();
    format!("Scope of the token: {}; repeatable", listed(&names, "or"))
}

/// User whose tokens are listed.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// User id or email address
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: UserRef,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Tokens to revoke.
#[derive(Debug, Args)]
pub(crate) struct RevokeArguments {
    /// User id or email address
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: UserRef,
    /// Only this token, an id from `restwell token list`
    #[arg(long, value_name = "TOKEN_ID", value_parser = PersonalTokenId::parse)]
    id: Option<PersonalTokenId>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command about personal access tokens.
pub(crate) async fn run(command: TokenCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create(arguments) => create(services, &arguments).await,
        TokenCommand::List(arguments) => list(services, &arguments).await,
        TokenCommand::Revoke(arguments) => revoke(services, &arguments).await,
    }
}

async fn create(services: &Services, arguments: &CreateArguments) -> anyhow::Result<()> {
    let CreateArguments { user, scopes, name, expires_in, json } = arguments;
    let user_id = user.id(services).await?;
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let tokens = services.personal_tokens();
    let form = tokens.new_form();
    let new = NewPersonalToken { form, name, scopes: &scopes, expires_in_days: *expires_in };
    let created = tokens.create(AccountActor::Operator(user_id), new).await;
    let created = created.context("the token was not created")?;
    Ok(output::print(&Record::new().with("token", created.secret.expose()), *json)?)
}

async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let user_id = arguments.user.id(services).await?;
    let records: Vec<Record> = tokens(services, user_id).await?.into_iter().map(record).collect();
    Ok(output::print_list(&records, "personal access tokens", arguments.json)?)
}

async fn revoke(services: &Services, arguments: &RevokeArguments) -> anyhow::Result<()> {
    let RevokeArguments { user, id, json } = arguments;
    let user_id = user.id(services).await?;
    let revoked = services.personal_tokens().revoke(AccountActor::Operator(user_id), *id).await?;
    // Tokens that are already revoked are no error; a mistyped id is one.
    let is_meant = |listed: &ListedPersonalToken| id.is_none_or(|id| id == listed.token.id);
    if revoked == 0 && !tokens(services, user_id).await?.iter().any(is_meant) {
        bail!("no token matches, so nothing was revoked; see `restwell token list --user {user_id}`");
    }
    Ok(output::print(&Record::new().with("revoked", revoked), *json)?)
}

async fn tokens(services: &Services, user_id: UserId) -> anyhow::Result<Vec<ListedPersonalToken>> {
    Ok(services.personal_tokens().list(user_id).await?)
}

fn record(listed: ListedPersonalToken) -> Record {
    let ListedPersonalToken { token, is_live } = listed;
    let scopes: Vec<&str> = token.scopes.iter().map(Scope::as_str).collect();
    let status = match (is_live, token.revoked_at) {
        (true, _) => "live",
        (false, Some(_)) => "revoked",
        (false, None) => "expired",
    };
    Record::new()
        .with_text("token_id", token.id)
        .with("name", token.name.as_str())
        .with("scopes", scopes)
        .with("status", status)
        .with("created_at", format::utc(token.created_at))
        .with("expires_at", token.expires_at.map(format::utc))
        .with("last_used_at", token.last_used_at.map(format::utc))
        .with("revoked_at", token.revoked_at.map(format::utc))
}
