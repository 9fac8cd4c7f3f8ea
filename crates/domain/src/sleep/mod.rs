//! Sleep: time in bed, stages, metrics, and how an import reconciles a session that is already known.
//!
//! The rules are those of decisions 6 and of `docs/import/README.md`. Instants are
//! [`chrono::DateTime<chrono::Utc>`], truncated to whole milliseconds when a value is created. Stages and
//! metrics are stored only in the encoding of [`packed`], in which instants are integer milliseconds.

mod flatten;
mod hypnogram;
mod metric_kind;
mod metric_value;
mod metrics;
mod night;
mod noon_day;
pub mod packed;
mod precedence;
mod reconcile;
mod record;
pub mod regularity;
mod session_key;
mod source_totals;
mod stage;
mod stretch;
mod time_in_bed;
pub mod trend;

pub use hypnogram::{Hypnogram, InvalidHypnogram, InvalidStageEntry, StageEntry};
pub use metric_kind::{MetricKind, MetricUnit};
pub use metric_value::MetricValue;
pub use metrics::{InvalidMetrics, SleepMetrics};
pub use noon_day::{ClockChange, NoonDay, local_date, waking_date};
pub use precedence::{Precedence, is_ambiguous_key};
pub use reconcile::{Reconciliation, reconcile};
pub use record::{Detail, InvalidSleepRecord, SleepRecord, SleepRecordHead, SleepSession};
pub use session_key::{InvalidSessionKey, InvalidSleepSource, SessionKey, SessionKeyKind, SleepSource};
pub use source_totals::SourceTotals;
pub use stage::Stage;
pub use stretch::{Stretch, stretches};
pub use time_in_bed::{InvalidTimeInBed, TimeInBed};

#[cfg(test)]
mod testing;
