//! Settings: read once, typed, checked, and never asked for again.
//!
//! To add one: a field in its section's `section!` block, with what it does, its type, default, unit and an
//! example; a check in the section's `problems` when not every value will do. Reference, known keys and
//! environment variable follow from it.

mod accounts;
mod address_header;
mod audit;
mod compression;
mod cors;
mod keys;
mod log;
mod mail;
mod metrics;
mod passwords;
mod problem;
mod public_url;
mod rate_limits;
mod reference;
mod secret_file;
mod secret_text;
mod section;
mod server;
mod sessions;
mod source;
mod storage;
mod table;
mod text_list;
mod tls_files;
mod tokens;
mod traces;
mod uploads;

#[cfg(test)]
mod tests;

pub(crate) use log::{LogFormat, LogLevel, LogSettings};
pub(crate) use problem::{Problem, SettingsError};
pub(crate) use public_url::{PublicUrl, is_loopback};
pub(crate) use reference::markdown as reference;
pub(crate) use secret_text::SecretText;
pub(crate) use source::{Variables, variables};
pub(crate) use storage::StoragePlace;
pub(crate) use tls_files::TlsFiles;
pub(crate) use traces::TraceSettings;

use accounts::AccountSettings;
use audit::AuditSettings;
use compression::CompressionSettings;
use cors::CorsSettings;
use keys::KeySettings;
use mail::MailSettings;
use metrics::MetricsSettings;
use passwords::PasswordSettings;
use rate_limits::RateLimitSettings;
use serde::Deserialize;
use server::ServerSettings;
use sessions::SessionSettings;
use std::path::Path;
use storage::StorageSettings;
use tokens::TokenSettings;
use uploads::UploadSettings;

/// All settings. `Debug` prints no secret.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where and how it listens.
    pub(crate) server: ServerSettings,
    /// Where everything is kept.
    pub(crate) storage: StorageSettings,
    /// The encryption key.
    pub(crate) keys: KeySettings,
    /// The daily limits.
    pub(crate) rate_limits: RateLimitSettings,
    /// Tokens and their clients.
    pub(crate) tokens: TokenSettings,
    /// The costs of password hashes.
    pub(crate) passwords: PasswordSettings,
    /// How long people stay signed in.
    pub(crate) sessions: SessionSettings,
    /// Accounts and guessing.
    pub(crate) accounts: AccountSettings,
    /// The mail server.
    pub(crate) mail: MailSettings,
    /// How long the audit is kept.
    pub(crate) audit: AuditSettings,
    /// Files that people upload.
    pub(crate) uploads: UploadSettings,
    /// Other origins.
    pub(crate) cors: CorsSettings,
    /// Compression.
    pub(crate) compression: CompressionSettings,
    /// The log.
    pub(crate) log: LogSettings,
    /// Figures for Prometheus.
    pub(crate) metrics: MetricsSettings,
    /// Traces.
    pub(crate) traces: TraceSettings,
}

impl Settings {
    /// Reads the settings of this file and these variables, secrets in files included, and checks them all.
    pub(crate) fn from_sources(file: Option<&Path>, variables: &Variables) -> Result<Self, SettingsError> {
        let merged = source::merged(file, variables)?;
        let settings: Self =
            merged.try_deserialize().map_err(|error| source::wrong(&error, file, variables))?;
        let settings = settings.with_secret_files()?;
        let problems = settings.problems();
        if problems.is_empty() { Ok(settings) } else { Err(SettingsError::Wrong(problems)) }
    }

    /// Lists every setting with its value, secrets left out, in the order of the reference.
    pub(crate) fn shown(&self) -> Vec<(&'static str, String)> {
        let sections = [
            self.server.shown(),
            self.storage.shown(),
            self.keys.shown(),
            self.rate_limits.shown(),
            self.tokens.shown(),
            self.passwords.shown(),
            self.sessions.shown(),
            self.accounts.shown(),
            self.mail.shown(),
            self.audit.shown(),
            self.uploads.shown(),
            self.cors.shown(),
            self.compression.shown(),
            self.log.shown(),
            self.metrics.shown(),
            self.traces.shown(),
        ];
        sections.into_iter().flatten().collect()
    }

    /// Lists the files with secrets that others on this machine may access, each with its setting and its
    /// permission bits.
    pub(crate) fn exposed_secret_files(&self) -> Vec<(&'static str, &Path, u32)> {
        let Self { server, storage, keys, rate_limits, mail, .. } = self;
        let files = [
            ("server.tls_key_file", &server.tls_key_file),
            ("storage.url_file", &storage.url_file),
            ("storage.read_url_file", &storage.read_url_file),
            ("keys.encryption_key_file", &keys.encryption_key_file),
            ("rate_limits.store_url_file", &rate_limits.store_url_file),
            ("mail.password_file", &mail.password_file),
        ];
        let named = files.into_iter().filter_map(|(key, file)| Some((key, file.as_deref()?)));
        named.filter_map(|(key, path)| Some((key, path, secret_file::exposed_mode(path)?))).collect()
    }

    fn with_secret_files(mut self) -> Result<Self, SettingsError> {
        let mut problems = Vec::new();
        let mut merge = |key, text: &mut Option<SecretText>, file: Option<&Path>| match secret_file::secret_of(
            key,
            text.as_ref(),
            file,
        ) {
            Ok(secret) => *text = secret,
            Err(problem) => problems.push(problem),
        };
        let Self { storage, keys, rate_limits, mail, .. } = &mut self;
        merge("storage.url", &mut storage.url, storage.url_file.as_deref());
        merge("storage.read_url", &mut storage.read_url, storage.read_url_file.as_deref());
        merge("keys.encryption_key", &mut keys.encryption_key, keys.encryption_key_file.as_deref());
        merge("rate_limits.store_url", &mut rate_limits.store_url, rate_limits.store_url_file.as_deref());
        merge("mail.password", &mut mail.password, mail.password_file.as_deref());
        if problems.is_empty() { Ok(self) } else { Err(SettingsError::Wrong(problems)) }
    }

    fn problems(&self) -> Vec<Problem> {
        let sections = [
            self.server.problems(),
            self.storage.problems(),
            self.rate_limits.problems(),
            self.tokens.problems(),
            self.passwords.problems(),
            self.sessions.problems(),
            self.accounts.problems(self.mail.is_set()),
            self.mail.problems(),
            self.audit.problems(),
            self.uploads.problems(),
            self.cors.problems(),
            self.metrics.problems(self.server.listen),
            self.traces.problems(),
        ];
        sections.into_iter().flatten().collect()
    }
}
