//! Settings: typed, validated and read once at the start.
//!
//! To add one, add a field to its section's `section!` block, with a description, type, default, unit, range
//! of a number and example. Add further checks to the section's `problems`. The reference, the known keys and
//! the environment variable are derived from the field.

mod accounts;
mod address_header;
mod clients;
mod cors;
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
mod source;
mod storage;
mod text_list;
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
pub(crate) use server::TlsFiles;
pub use source::EnvironmentVariables;
pub(crate) use source::{Variables, variables};
pub(crate) use storage::StoragePlace;
pub(crate) use traces::TraceSettings;

use accounts::AccountSettings;
use application::audit::{AuditRetention, InvalidAuditRetention};
use chrono::TimeDelta;
use clients::ClientSettings;
use cors::CorsSettings;
use domain::session::SessionLifetime;
use mail::MailSettings;
use metrics::MetricsSettings;
use passwords::PasswordSettings;
use rate_limits::RateLimitSettings;
use section::{Row, section};
use serde::Deserialize;
use server::ServerSettings;
use std::path::{Path, PathBuf};
use storage::StorageSettings;
use system_adapter::exposed_mode;
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

section! {
    /// Retention of the audit trail.
    AuditSettings("audit") {
        /// Retention of events: sign-ins, consent, tokens, operator commands.
        event_days: u32 = Some("730"), "days" in 1..=36_525, "365";
        /// Retention of the read counts that people see.
        read_days: u32 = Some("400"), "days" in 1..=36_525, "90";
    }
}

impl AuditSettings {
    /// Returns the retention of the audit trail.
    pub(crate) const fn retention(&self) -> Result<AuditRetention, InvalidAuditRetention> {
        AuditRetention::from_days(self.event_days, self.read_days)
    }
}

section! {
    /// Developers who register apps on the page `/developer`.
    DeveloperSettings("developers") {
        /// Whether signed-in people may register apps. Until `restwell client approve`, such an app works for
        /// its owner and 10 other people.
        self_service: bool = Some("false"), "true or false", "true";
    }
}

section! {
    /// The key that encrypts private signing keys, queued email and the secrets of authenticator apps in the
    /// store.
    KeySettings("keys") {
        /// As printed by `restwell key generate`; the same on every replica. Default on a loopback server:
        /// the file `restwell.key` beside the embedded store, else in `storage.data_dir`.
        encryption_key: Option<SecretText> = None, "`rwk_` and 43 characters", "rwk_...";
        /// File that contains `keys.encryption_key`.
        encryption_key_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-key";
    }
}

section! {
    /// Requests to hosts that apps and operators chose, such as webhooks and client metadata documents.
    OutboundSettings("outbound") {
        /// Whether hosts on private networks (RFC 1918, RFC 4193) may be called, such as a receiver at home:
        /// for webhook endpoints that the operator created, or approved with their app. A server whose public
        /// URL is on loopback may call its own machine in any case.
        allow_private_networks: bool = Some("false"), "true or false", "true";
    }
}

section! {
    /// How long a browser stays signed in.
    SessionSettings("sessions") {
        /// Maximum time without a request.
        idle_minutes: u32 = Some("1440"), "minutes" in 1..=525_600, "60";
        /// Maximum time since the sign-in.
        lifetime_hours: u32 = Some("720"), "hours" in 1..=8760, "24";
    }
}

impl SessionSettings {
    pub(crate) fn lifetime(&self) -> SessionLifetime {
        SessionLifetime {
            idle: TimeDelta::minutes(i64::from(self.idle_minutes)),
            absolute: TimeDelta::hours(i64::from(self.lifetime_hours)),
        }
    }
}

/// Section of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Name of the section in a file.
    pub(crate) name: &'static str,
    /// Description.
    pub(crate) about: &'static str,
    pub(crate) rows: &'static [Row],
}

/// Lists the sections in the order of the reference.
pub(crate) fn sections() -> impl Iterator<Item = Section> {
    SECTIONS.iter().copied()
}

/// Lists every setting in the order of the reference.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    SECTIONS.iter().flat_map(|section| section.rows)
}
