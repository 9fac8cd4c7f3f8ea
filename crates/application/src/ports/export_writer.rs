//! How an export is written down.

use domain::id::UserId;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;

/// The forms that an export may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object a line; it can be imported again.
    Ndjson,
    /// A zip archive of CSV files.
    Zip,
}

impl ExportFormat {
    /// Every form.
    pub const ALL: [Self; 2] = [Self::Ndjson, Self::Zip];

    /// Returns the name by which people and programs ask for the form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Zip => "zip",
        }
    }

    /// Parses that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }
}

/// A part of an export. What a record holds may be told in several parts, each of which is read anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportSection {
    /// The person.
    Profile,
    /// Sleep sessions, whole or their heads.
    Sessions,
    /// The stages of sleep sessions.
    Stages,
    /// The metrics of sleep sessions.
    Metrics,
    /// Supplements that the person has logs of, whole or their labels' heads.
    Supplements,
    /// The ingredients of those.
    Ingredients,
    /// Intake logs.
    Logs,
}

/// One record of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportItem {
    /// The person.
    Profile(Box<User>),
    /// A supplement that the person has logs of, with its key in the catalogue.
    Supplement(Box<(CatalogueKey, Supplement)>),
    /// A sleep session.
    Session(Box<SleepSession>),
    /// An intake.
    Log(Box<IntakeLog>),
}

/// Says that a record could not be written down.
#[derive(Debug, thiserror::Error)]
#[error("an export could not be written: {0}")]
pub struct ExportNotWritten(pub String);

/// Writes one export down, in memory: whoever asks takes the bytes away as they come.
pub trait ExportWriter: Send {
    /// Lists the parts in the order in which they are to be written.
    fn sections(&self) -> &'static [ExportSection];
    /// Begins a part.
    fn begin(&mut self, section: ExportSection) -> Result<(), ExportNotWritten>;
    /// Writes a record of the part that was begun last.
    fn write(&mut self, item: &ExportItem) -> Result<(), ExportNotWritten>;
    /// Ends the whole.
    fn finish(&mut self) -> Result<(), ExportNotWritten>;
    /// Takes away what was written since the last time.
    fn take(&mut self) -> Vec<u8>;
}

/// Begins exports.
pub trait ExportWriters: Send + Sync {
    /// Begins one of a person.
    fn open(&self, format: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter>;
}
