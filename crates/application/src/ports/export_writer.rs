//! Writers of exports.

use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;

domain::named_enum! {
    /// Export format.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ExportFormat {
        /// One JSON object per line; can be imported again.
        Ndjson = "ndjson",
        /// A zip archive of CSV files.
        Zip = "zip",
    }
}

domain::named_enum! {
    /// A part of an export. A record may be spread over several parts, each of which reads it again. The
    /// first part of a kind of data has the records that count as reads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ExportSection {
        /// The profile.
        Profile = "profile",
        /// Sleep sessions, whole or without their details.
        Sessions = "sleep_sessions",
        /// The stages of sleep sessions.
        Stages = "sleep_stages",
        /// The metrics of sleep sessions.
        Metrics = "sleep_metrics",
        /// Supplements in the user's logs, whole or without their ingredients.
        Supplements = "supplements",
        /// Ingredients of these supplements.
        Ingredients = "supplement_ingredients",
        /// Intake logs.
        Logs = "supplement_logs",
    }
}

impl ExportSection {
    /// Returns the kind of data.
    pub const fn kind(self) -> DataKind {
        match self {
            Self::Profile => DataKind::Profile,
            Self::Sessions | Self::Stages | Self::Metrics => DataKind::Sleep,
            Self::Supplements | Self::Ingredients | Self::Logs => DataKind::Supplements,
        }
    }
}

/// One record of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportItem {
    /// The profile.
    Profile(Box<User>),
    /// A supplement in the user's logs, with its catalogue key.
    Supplement(Box<(CatalogueKey, Supplement)>),
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake log.
    Log(Box<IntakeLog>),
}

/// A record could not be written.
#[derive(Debug, thiserror::Error)]
#[error("an export could not be written: {0}")]
pub struct ExportNotWritten(pub String);

/// Writes one export into memory; the caller collects the bytes as they are written.
pub trait ExportWriter: Send {
    /// Returns the parts in the order in which they must be written.
    fn sections(&self) -> &'static [ExportSection];
    /// Begins a part.
    fn begin(&mut self, section: ExportSection) -> Result<(), ExportNotWritten>;
    /// Writes a record of the current part.
    fn write(&mut self, item: &ExportItem) -> Result<(), ExportNotWritten>;
    /// Finishes the export.
    fn finish(&mut self) -> Result<(), ExportNotWritten>;
    /// Returns the bytes written since the last call.
    fn take(&mut self) -> Vec<u8>;
}

/// Creates export writers.
pub trait ExportWriters: Send + Sync {
    /// Starts an export of a user.
    fn open(&self, format: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter>;
}
