//! `restwell key`: the signing keys in the store, and the encryption key that seals them.

use super::argument::ListArguments;
use super::output::{self, Record};
use crate::settings::Settings;
use crate::wiring::{Services, SharedClock};
use anyhow::{Context, bail};
use application::key::{OlderKeys, RetireSigningKeyError, SigningKeyEntry, SigningKeyUse};
use clap::{Args, Subcommand};
use domain::id::KeyId;
use domain::time::format;
use serde_json::Value;
use system_adapter::EncryptionKey;

/// Commands about keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Print a new encryption key for `keys.encryption_key` or its file; it protects the signing keys
    #[command(after_help = "Example:\n  umask 077; restwell key generate > restwell.key\n  \
        RESTWELL__KEYS__ENCRYPTION_KEY_FILE=restwell.key restwell serve\n\n\
        Keep it: without it the signing keys in the store cannot be decrypted. All replicas need the same key.\n\
        `restwell key rotate` creates signing keys.")]
    Generate,
    /// Create a new signing key for all replicas
    #[command(after_help = "Examples:\n  restwell key rotate\n  restwell key rotate --emergency\n\n\
        Running replicas use the key within a second. Tokens of older keys stay valid until they expire,\n\
        after an hour at most; with --emergency they are rejected within two seconds, and apps continue\n\
        with their refresh tokens. The encryption key does not change.")]
    Rotate(RotateArguments),
    /// List the signing keys, active and retired, oldest first
    List(ListArguments),
    /// Retire a signing key; tokens signed with it are rejected within two seconds
    #[command(after_help = "Example:\n  restwell key retire 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48\n\n\
        The last active key cannot be retired: create another one first with `restwell key rotate`.")]
    Retire(RetireArguments),
}

/// Options of a rotation.
#[derive(Debug, Args)]
pub(crate) struct RotateArguments {
    /// Retire all older signing keys immediately, because one may be compromised
    #[arg(long)]
    emergency: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Signing key to retire.
#[derive(Debug, Args)]
pub(crate) struct RetireArguments {
    /// Key id from `restwell key list`
    #[arg(value_name = "KEY_ID", value_parser = KeyId::parse)]
    id: KeyId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints a new encryption key; needs no valid settings.
pub(crate) fn generate() -> anyhow::Result<()> {
    Ok(output::print_text(&format!("{}\n", EncryptionKey::generate().expose().as_str()))?)
}

/// Runs a command about keys.
pub(crate) async fn run(command: KeyCommand, settings: Settings, clock: SharedClock) -> anyhow::Result<()> {
    match command {
        KeyCommand::Generate => generate(),
        KeyCommand::Rotate(arguments) => rotate(&Services::open(settings, clock).await?, &arguments).await,
        KeyCommand::List(arguments) => list(&Services::open(settings, clock).await?, &arguments).await,
        KeyCommand::Retire(arguments) => retire(&Services::open(settings, clock).await?, &arguments).await,
    }
}

async fn rotate(services: &Services, arguments: &RotateArguments) -> anyhow::Result<()> {
    let ring = services.keys().await?.ring;
    let older = if arguments.emergency { OlderKeys::Retire } else { OlderKeys::Keep };
    let done =
        services.signing_keys().rotate(&*ring, older).await.context("the signing keys were not changed")?;
    let retired: Vec<String> = done.retired.iter().map(KeyId::to_string).collect();
    let record = Record::new()
        .with_text("key_id", done.created)
        .with("status", "signing")
        .with("created_at", format::utc(done.created_at))
        .with("retired", retired);
    Ok(output::print(&record, arguments.json)?)
}

async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let keys = services.signing_keys().list().await?;
    let records: Vec<Record> = keys.iter().map(record).collect();
    Ok(output::print_list(&records, "signing keys", arguments.json)?)
}

async fn retire(services: &Services, arguments: &RetireArguments) -> anyhow::Result<()> {
    let at = match services.signing_keys().retire(arguments.id).await {
        Ok(at) => at,
        Err(error @ RetireSigningKeyError::LastActive(_)) => {
            bail!("{error}; create another one with `restwell key rotate` first, or do both with --emergency")
        }
        Err(error @ RetireSigningKeyError::Unknown(_)) => bail!("{error}; see `restwell key list`"),
        Err(RetireSigningKeyError::Storage(error)) => return Err(error.into()),
    };
    let record = Record::new()
        .with_text("key_id", arguments.id)
        .with("status", "retired")
        .with("retired_at", format::utc(at));
    Ok(output::print(&record, arguments.json)?)
}

fn record(key: &SigningKeyEntry) -> Record {
    let (status, retired_at) = match key.usage {
        SigningKeyUse::Signs => ("signing", Value::Null),
        SigningKeyUse::Verifies => ("active", Value::Null),
        SigningKeyUse::Retired { at } => ("retired", format::utc(at).into()),
    };
    Record::new()
        .with_text("key_id", key.id)
        .with("status", status)
        .with("created_at", format::utc(key.created_at))
        .with("retired_at", retired_at)
}
