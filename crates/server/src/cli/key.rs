//! `restwell key`: the encryption key.

use super::output;
use clap::Subcommand;
use system_adapter::EncryptionKey;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Print a new encryption key for the setting `keys.encryption_key`, or for the file it comes from
    #[command(after_help = "Example:\n  umask 077; restwell key generate > restwell.key\n  \
        RESTWELL__KEYS__ENCRYPTION_KEY_FILE=restwell.key restwell serve\n\n\
        Keep it: without it the signing keys in the store cannot be opened. All replicas need the same.")]
    Generate,
}

/// Runs a command about keys.
pub(crate) fn run(command: &KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::Generate => {
            Ok(output::print_text(&format!("{}\n", EncryptionKey::generate().expose().as_str()))?)
        }
    }
}
