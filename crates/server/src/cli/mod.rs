//! The command line: one file per group of commands, with its arguments, its use case and its output.
//!
//! Only results go to standard output; the log and all other messages go to standard error. A command exits
//! with code 0 only if it did what was requested.

mod argument;
mod audit;
mod biology;
mod catalogue;
mod check_config;
mod client;
mod code;
mod credentials;
mod demo;
mod doctor;
mod export;
mod first_steps;
mod grant;
mod health;
mod import;
mod invalidate;
mod key;
mod mail;
mod migrate;
mod output;
mod password;
mod reference;
mod sandbox;
mod second_factor;
mod serve;
mod session;
mod streams;
mod token;
mod user;
mod user_ref;
mod webhook;

#[cfg(test)]
mod tests;

pub(crate) use serve::serve;
pub(crate) use streams::Streams;

use crate::settings::{EnvironmentVariables, Settings, variables};
use crate::telemetry::{self, Verbosity};
use crate::wiring::{Services, SharedClock};
use clap::error::ContextValue;
use clap::{Parser, Subcommand};
use domain::deceptive_text::escape_deceptive;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system_adapter::SystemClock;

/// An OAuth 2 server for sleep, supplement and profile data that people share with apps
#[derive(Debug, Parser)]
#[command(name = "restwell", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Start with `restwell demo`: a server with sample data and curl commands to try.\n\
    Settings: docs/reference/configuration.md, or `restwell reference configuration`.")]
pub struct Cli {
    /// TOML settings file; defaults to `RESTWELL_CONFIG`. Environment variables
    /// (`RESTWELL__SECTION__KEY`) override it
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// Parses the arguments of the process; exits with help or an error message if they are invalid.
    #[must_use]
    pub fn parse_or_exit() -> Self {
        Self::try_parse().unwrap_or_else(|error| escaped(error).exit())
    }
}

/// Writes help or an error message about the arguments, and returns the exit code.
pub(crate) fn report_usage(error: clap::Error) -> u8 {
    let error = escaped(error);
    let mut out = if error.use_stderr() { streams::errors() } else { streams::output() };
    // A closed stream is ignored, as clap does.
    let _ = write!(out, "{}", error.render());
    u8::try_from(error.exit_code()).unwrap_or(1)
}

/// Escapes the arguments that an error message quotes.
fn escaped(mut error: clap::Error) -> clap::Error {
    let given: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, escape_deceptive(text).into_owned())),
            _ => None,
        })
        .collect();
    for (kind, text) in given {
        error.insert(kind, ContextValue::String(text));
    }
    error
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve sample data on this machine and print curl commands for the endpoints of apps
    Demo(demo::DemoArguments),
    /// Start the server; run `restwell migrate` first
    #[command(after_help = "Example:\n  restwell migrate && restwell serve\n\n\
        SIGTERM or SIGINT stops the server after it has finished the requests in flight.")]
    Serve,
    /// Check the health of the server on this machine
    Health(health::HealthArguments),
    /// Update the schema, creating an embedded store and the first signing key if needed
    Migrate,
    /// Print the effective settings without secrets, and report problems
    CheckConfig(check_config::CheckConfigArguments),
    /// Check settings, store, keys, clock, disk, backup, public URL, proxy and mail, and say what to do
    Doctor(doctor::DoctorArguments),
    #[command(flatten)]
    InStore(StoreCommand),
    /// Manage the access that users have granted to clients
    #[command(subcommand)]
    Grant(grant::GrantCommand),
    /// Test sending email
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Manage the signing keys of access tokens and the encryption key that protects them
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Invalidate everything issued before a given time
    Invalidate(invalidate::InvalidateArguments),
    /// Print generated reference documents
    #[command(subcommand)]
    Reference(reference::ReferenceCommand),
}

/// Commands that work in an open store.
#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Manage users
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage apps and services that request tokens
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Manage browser sessions
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// Manage the personal access tokens of users
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Manage webhook endpoints, which notify apps of changes
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Show the audit trail and who read which data
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Create authorization codes by hand
    #[command(subcommand)]
    Code(code::CodeCommand),
    /// Manage sandbox people: synthetic users for app developers
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
    /// Import export files from devices and apps
    Import(import::ImportArguments),
    /// Manage the supplement catalogue that all users share
    #[command(subcommand)]
    Catalogue(catalogue::CatalogueCommand),
    /// Export all data of a user
    Export(export::ExportArguments),
}

/// Exit code if the reader closed the output: the code of a Unix tool terminated by SIGPIPE.
const OUTPUT_CLOSED: u8 = 128 + 13;

/// Writes why a command failed to standard error and returns its exit code. Writes nothing if the reader of
/// standard output has closed it, such as `| head`.
pub fn report_failure(error: &anyhow::Error) -> u8 {
    if output::is_closed(error) {
        return OUTPUT_CLOSED;
    }
    output::note(format!("restwell: {error:#}"));
    1
}

/// Runs a command in the environment of the process.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    Box::pin(run_in(cli, std::env::vars_os().collect(), Arc::new(SystemClock), telemetry::begin)).await
}

/// Runs a command in this environment with this clock, and starts its log and traces once the settings are
/// read.
pub(crate) async fn run_in(
    cli: Cli,
    environment: EnvironmentVariables,
    clock: SharedClock,
    begin_telemetry: impl FnOnce(&Settings, Verbosity) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // These need no valid settings.
    match &cli.command {
        Command::Key(key::KeyCommand::Generate) => return key::generate(),
        Command::Reference(command) => return reference::run(*command),
        _ => {}
    }
    let file = settings_file(cli.config, environment.get(OsStr::new("RESTWELL_CONFIG")).cloned());
    let settings = settings(file.as_deref(), environment);
    let settings = match (settings, &cli.command) {
        (Err(error), Command::Doctor(arguments)) => return doctor::run(arguments, Err(error), &clock).await,
        (settings, _) => settings?,
    };
    let verbosity = match cli.command {
        Command::Serve | Command::Demo(_) => Verbosity::Server,
        _ => Verbosity::Command,
    };
    begin_telemetry(&settings, verbosity)?;
    match cli.command {
        Command::Demo(arguments) => Box::pin(demo::run(arguments, settings, clock)).await,
        Command::Serve => Box::pin(serve::run(settings, clock, file.as_deref())).await,
        Command::Health(arguments) => health::run(&arguments, &settings).await,
        Command::Migrate => migrate::run(settings, file.as_deref()).await,
        Command::CheckConfig(arguments) => check_config::run(&arguments, &settings).await,
        Command::Doctor(arguments) => Box::pin(doctor::run(&arguments, Ok(settings), &clock)).await,
        Command::InStore(command) => {
            Box::pin(run_in_store(command, &Services::open(settings, clock).await?)).await
        }
        Command::Grant(command) => grant::run(command, settings, clock).await,
        Command::Mail(command) => mail::run(command, &settings).await,
        Command::Key(command) => key::run(command, settings, clock).await,
        Command::Invalidate(arguments) => invalidate::run(&arguments, settings, clock).await,
        Command::Reference(command) => reference::run(command),
    }
}

async fn run_in_store(command: StoreCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        StoreCommand::User(command) => user::run(command, services).await,
        StoreCommand::Client(command) => client::run(command, services).await,
        StoreCommand::Session(command) => session::run(command, services).await,
        StoreCommand::Token(command) => token::run(command, services).await,
        StoreCommand::Webhook(command) => webhook::run(command, services).await,
        StoreCommand::Audit(command) => audit::run(command, services).await,
        StoreCommand::Code(command) => code::run(command, services).await,
        StoreCommand::Sandbox(command) => sandbox::run(command, services).await,
        StoreCommand::Import(arguments) => import::run(arguments, services).await,
        StoreCommand::Catalogue(command) => catalogue::run(command, services).await,
        StoreCommand::Export(arguments) => export::run(&arguments, services).await,
    }
}

fn settings(file: Option<&Path>, environment: EnvironmentVariables) -> anyhow::Result<Settings> {
    Ok(Settings::from_sources(file, &variables(environment)?)?)
}

/// Returns the settings file: the argument overrides the variable, and an empty variable is ignored, which
/// clap would reject.
fn settings_file(argument: Option<PathBuf>, variable: Option<OsString>) -> Option<PathBuf> {
    argument.or_else(|| variable.filter(|name| !name.is_empty()).map(PathBuf::from))
}
