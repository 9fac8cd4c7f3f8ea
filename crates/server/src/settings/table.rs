//! Table of all settings. Defaults, known keys and the reference are derived from it.

use super::accounts::AccountSettings;
use super::audit::AuditSettings;
use super::compression::CompressionSettings;
use super::cors::CorsSettings;
use super::keys::KeySettings;
use super::log::LogSettings;
use super::mail::MailSettings;
use super::metrics::MetricsSettings;
use super::passwords::PasswordSettings;
use super::rate_limits::RateLimitSettings;
use super::section::Row;
use super::server::ServerSettings;
use super::sessions::SessionSettings;
use super::storage::StorageSettings;
use super::tokens::TokenSettings;
use super::traces::TraceSettings;
use super::uploads::UploadSettings;

/// Section of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Name of the section in a file.
    pub(crate) name: &'static str,
    /// Description.
    pub(crate) about: &'static str,
    pub(crate) rows: &'static [Row],
}

const SECTIONS: [Section; 16] = [
    Section { name: "server", about: ServerSettings::ABOUT, rows: ServerSettings::ROWS },
    Section { name: "storage", about: StorageSettings::ABOUT, rows: StorageSettings::ROWS },
    Section { name: "keys", about: KeySettings::ABOUT, rows: KeySettings::ROWS },
    Section { name: "rate_limits", about: RateLimitSettings::ABOUT, rows: RateLimitSettings::ROWS },
    Section { name: "tokens", about: TokenSettings::ABOUT, rows: TokenSettings::ROWS },
    Section { name: "passwords", about: PasswordSettings::ABOUT, rows: PasswordSettings::ROWS },
    Section { name: "sessions", about: SessionSettings::ABOUT, rows: SessionSettings::ROWS },
    Section { name: "accounts", about: AccountSettings::ABOUT, rows: AccountSettings::ROWS },
    Section { name: "mail", about: MailSettings::ABOUT, rows: MailSettings::ROWS },
    Section { name: "audit", about: AuditSettings::ABOUT, rows: AuditSettings::ROWS },
    Section { name: "uploads", about: UploadSettings::ABOUT, rows: UploadSettings::ROWS },
    Section { name: "cors", about: CorsSettings::ABOUT, rows: CorsSettings::ROWS },
    Section { name: "compression", about: CompressionSettings::ABOUT, rows: CompressionSettings::ROWS },
    Section { name: "log", about: LogSettings::ABOUT, rows: LogSettings::ROWS },
    Section { name: "metrics", about: MetricsSettings::ABOUT, rows: MetricsSettings::ROWS },
    Section { name: "traces", about: TraceSettings::ABOUT, rows: TraceSettings::ROWS },
];

/// Lists the sections in the order of the reference.
pub(crate) fn sections() -> impl Iterator<Item = Section> {
    SECTIONS.into_iter()
}

/// Lists every setting in the order of the reference.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    SECTIONS.into_iter().flat_map(|section| section.rows)
}
