//! The command line: one file a group of commands, each with its arguments, its use case and what it prints.
//!
//! Results alone go to standard output; the log and every other word go to standard error. A command ends
//! with exit code 0 only when it did what it was asked.

mod argument;
mod audit;
mod biology;
mod catalogue;
mod check_config;
mod client;
mod code;
mod demo;
mod export;
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
mod serve;
mod session;
mod streams;
mod token;
mod user;
mod user_ref;

#[cfg(test)]
mod tests;

pub(crate) use serve::serve;
pub(crate) use streams::Streams;

use crate::embedded::Environment;
use crate::settings::{Settings, variables};
use crate::telemetry::{self, Talk};
use clap::error::ContextValue;
use clap::{Parser, Subcommand};
use domain::deceptive_text::escape_deceptive;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::PathBuf;

/// An OAuth 2 server for sleep, supplement and profile data that people share with apps
#[derive(Debug, Parser)]
#[command(name = "restwell", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Begin with `restwell demo`: a server with made-up data and curl lines to try.\n\
    Settings: docs/reference/configuration.md, or `restwell reference configuration`.")]
pub struct Cli {
    /// The TOML file with the settings, else the one that `RESTWELL_CONFIG` names; the environment
    /// (`RESTWELL__SECTION__KEY`) goes over it
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// Parses the arguments of the process; ends it with help or with what is wrong with them.
    #[must_use]
    pub fn parse_or_exit() -> Self {
        Self::try_parse().unwrap_or_else(|error| escaped(error).exit())
    }
}

/// Writes help, or what is wrong with the arguments, and returns the exit code.
pub(crate) fn report_usage(error: clap::Error) -> u8 {
    let error = escaped(error);
    let mut out = if error.use_stderr() { streams::errors() } else { streams::output() };
    // A closed stream changes nothing, as when clap writes.
    let _ = write!(out, "{}", error.render());
    u8::try_from(error.exit_code()).unwrap_or(1)
}

/// Escapes what an error repeats of the arguments.
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
    /// Serve made-up data on this machine, with curl lines to try every endpoint
    Demo(demo::DemoArguments),
    /// Serve; the store must be migrated
    #[command(after_help = "Example:\n  restwell migrate && restwell serve\n\n\
        Stop it with SIGTERM or SIGINT: running requests are finished first.")]
    Serve,
    /// Ask the server of these settings, on this machine, whether it is well
    Health(health::HealthArguments),
    /// Create the store when it is embedded, bring its schema up to date, make the first signing key
    Migrate,
    /// Print the settings that count, secrets left out, and say what is wrong with them
    CheckConfig,
    /// People whose data are kept
    #[command(subcommand)]
    User(user::UserCommand),
    /// Apps and services that may ask for tokens
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// What people allowed to clients
    #[command(subcommand)]
    Grant(grant::GrantCommand),
    /// Email from this server
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// The signing keys of access tokens, and the encryption key under which they are kept
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// The browsers in which people have signed in
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// The personal access tokens that people made for their own scripts
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// What happened, and who read what
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Make everything worthless that was issued before a moment
    Invalidate(invalidate::InvalidateArguments),
    /// Measure this machine and propose settings for the hashes of passwords
    CalibratePasswordHash(password::CalibrateArguments),
    /// Authorization codes made by hand
    #[command(subcommand)]
    Code(code::CodeCommand),
    /// Read export files of devices and catalogues
    Import(import::ImportArguments),
    /// The catalogue of supplements, which all people share
    #[command(subcommand)]
    Catalogue(catalogue::CatalogueCommand),
    /// Write all data of a person to standard output, in lines that `restwell import` reads
    Export(export::ExportArguments),
    /// Print reference documents that are made from the program
    #[command(subcommand)]
    Reference(reference::ReferenceCommand),
}

/// The exit code of a command whose output nobody reads any more: that of a Unix tool that SIGPIPE ends.
const OUTPUT_CLOSED: u8 = 128 + 13;

/// Writes why a command failed to standard error and returns its exit code. Writes nothing when the reader of its output
/// has closed it, such as `| head`.
pub fn report_failure(error: &anyhow::Error) -> u8 {
    if output::is_closed(error) {
        return OUTPUT_CLOSED;
    }
    output::note(format!("restwell: {error:#}"));
    1
}

/// Runs a command on the environment of the process.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    run_in(cli, std::env::vars_os().collect(), telemetry::begin).await
}

/// Runs a command on this environment, and begins its log and traces once the settings are known.
pub(crate) async fn run_in(
    cli: Cli,
    environment: Environment,
    begin_telemetry: impl FnOnce(&Settings, Talk) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // These need no valid settings.
    match &cli.command {
        Command::Key(key::KeyCommand::Generate) => return key::generate(),
        Command::Reference(command) => return reference::run(*command),
        Command::CalibratePasswordHash(arguments) => return password::run_calibrate(arguments),
        _ => {}
    }
    let file = settings_file(cli.config, environment.get(OsStr::new("RESTWELL_CONFIG")).cloned());
    let settings = Settings::from_sources(file.as_deref(), &variables(environment)?)?;
    let talk = match cli.command {
        Command::Serve | Command::Demo(_) => Talk::Server,
        _ => Talk::Command,
    };
    begin_telemetry(&settings, talk)?;
    match cli.command {
        Command::Demo(arguments) => Box::pin(demo::run(arguments, settings)).await,
        Command::Serve => serve::run(&settings).await,
        Command::Health(arguments) => health::run(&arguments, &settings).await,
        Command::Migrate => migrate::run(&settings).await,
        Command::CheckConfig => check_config::run(&settings),
        Command::User(command) => user::run(command, &settings).await,
        Command::Client(command) => client::run(command, &settings).await,
        Command::Grant(command) => grant::run(command, &settings).await,
        Command::Mail(command) => mail::run(command, &settings).await,
        Command::Key(command) => key::run(command, &settings).await,
        Command::Session(command) => session::run(command, &settings).await,
        Command::Token(command) => token::run(command, &settings).await,
        Command::Audit(command) => audit::run(command, &settings).await,
        Command::Invalidate(arguments) => invalidate::run(&arguments, &settings).await,
        Command::CalibratePasswordHash(arguments) => password::run_calibrate(&arguments),
        Command::Code(command) => code::run(command, &settings).await,
        Command::Import(arguments) => import::run(arguments, &settings).await,
        Command::Catalogue(command) => catalogue::run(command, &settings).await,
        Command::Export(arguments) => export::run(&arguments, &settings).await,
        Command::Reference(command) => reference::run(command),
    }
}

/// Chooses the settings file: the argument goes over the variable, and an empty variable counts as not set. Not
/// left to clap, which refuses an empty one.
fn settings_file(argument: Option<PathBuf>, variable: Option<OsString>) -> Option<PathBuf> {
    argument.or_else(|| variable.filter(|name| !name.is_empty()).map(PathBuf::from))
}
