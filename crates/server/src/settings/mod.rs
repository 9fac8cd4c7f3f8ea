//! Settings: typed, validated and read once at the start.
//!
//! To add one, add a field to its section's `section!` block, with a description, type, default, unit, range
//! of a number and example. Add further checks to the section's `problems`. The reference, the known keys and
//! the environment variable are derived from the field.

mod accounts;
mod address_header;
mod audit;
mod clients;
mod cors;
mod developers;
mod keys;
mod log;
mod mail;
mod metrics;
mod outbound;
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
pub use source::EnvironmentVariables;
pub(crate) use source::{Variables, variables};
pub(crate) use storage::StoragePlace;
pub(crate) use tls_files::TlsFiles;
pub(crate) use traces::TraceSettings;

use accounts::AccountSettings;
use audit::AuditSettings;
use clients::ClientSettings;
use cors::CorsSettings;
use developers::DeveloperSettings;
use keys::KeySettings;
use mail::MailSettings;
use metrics::MetricsSettings;
use outbound::OutboundSettings;
use passwords::PasswordSettings;
use rate_limits::RateLimitSettings;
use serde::Deserialize;
use server::ServerSettings;
use sessions::SessionSettings;
use std::path::Path;
use storage::StorageSettings;
use system_adapter::exposed_mode;
use table::Section;
use tokens::TokenSettings;
use uploads::UploadSettings;

/// Defines the settings from their sections, in the order of the reference.
macro_rules! settings {
    ($($name:ident: $section:ty,)+) => {
        /// All settings. `Debug` prints no secret.
        #[derive(Debug, Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Settings {
            $(pub(crate) $name: $section,)+
        }

        const SECTIONS: &[Section] = &[
            $(Section { name: stringify!($name), about: <$section>::ABOUT, rows: <$section>::ROWS },)+
        ];

        impl Settings {
            /// Lists every setting with its value in the order of the reference; secrets are redacted.
            pub(crate) fn list_values(&self) -> Vec<(&'static str, String)> {
                [$(self.$name.list_values()),+].concat()
            }

            fn out_of_range(&self) -> Vec<Problem> {
                [$(self.$name.out_of_range()),+].concat()
            }
        }
    };
}

settings! {
    server: ServerSettings,
    storage: StorageSettings,
    keys: KeySettings,
    rate_limits: RateLimitSettings,
    tokens: TokenSettings,
    passwords: PasswordSettings,
    sessions: SessionSettings,
    accounts: AccountSettings,
    clients: ClientSettings,
    developers: DeveloperSettings,
    mail: MailSettings,
    audit: AuditSettings,
    uploads: UploadSettings,
    outbound: OutboundSettings,
    cors: CorsSettings,
    log: LogSettings,
    metrics: MetricsSettings,
    traces: TraceSettings,
}

impl Settings {
    /// Reads and validates the settings of this file and these variables, including secrets in files.
    pub(crate) fn from_sources(file: Option<&Path>, variables: &Variables) -> Result<Self, SettingsError> {
        let merged = source::merged(file, variables)?;
        let settings: Self =
            merged.try_deserialize().map_err(|error| source::wrong(&error, file, variables))?;
        let settings = settings.with_secret_files()?;
        let problems = settings.problems();
        if problems.is_empty() { Ok(settings) } else { Err(SettingsError::Wrong(problems)) }
    }

    /// Lists the secret files that other users of this machine may access, each with its setting and
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
        let exposed = |path: &Path| exposed_mode(&path.metadata().ok()?);
        named.filter_map(|(key, path)| Some((key, path, exposed(path)?))).collect()
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
        let rules = [
            self.server.problems(),
            self.storage.problems(),
            self.rate_limits.problems(),
            self.passwords.problems(),
            self.accounts.problems(self.mail.is_set()),
            self.clients.problems(),
            self.mail.problems(),
            self.uploads.problems(),
            self.cors.problems(),
            self.metrics.problems(self.server.listen),
            self.traces.problems(),
        ];
        self.out_of_range().into_iter().chain(rules.into_iter().flatten()).collect()
    }
}
