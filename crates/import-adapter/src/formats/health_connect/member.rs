//! A session as exporter apps write it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A session; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    #[serde(rename = "startTime")]
    pub(super) start: LooseScalar,
    #[serde(rename = "endTime", alias = "session_end_time")]
    pub(super) end: LooseScalar,
    #[serde(rename = "startZoneOffset")]
    pub(super) offset_at_start: LooseScalar,
    #[serde(rename = "endZoneOffset")]
    pub(super) offset_at_end: LooseScalar,
    #[serde(rename = "duration_seconds")]
    pub(super) duration: LooseScalar,
    /// Absent in records of other kinds.
    pub(super) stages: Option<Bounded<RawStage>>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    id: LooseScalar,
    #[serde(rename = "dataOrigin", alias = "data_origin")]
    origin: LooseScalar,
}

/// A stage of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawStage {
    pub(super) stage: LooseScalar,
    #[serde(rename = "startTime", alias = "start_time")]
    pub(super) start: LooseScalar,
    #[serde(rename = "endTime", alias = "end_time")]
    pub(super) end: LooseScalar,
}

impl Record {
    /// Returns the id of the record.
    pub(super) fn id(&self) -> &LooseScalar {
        self.metadata.as_ref().map_or(&LooseScalar::Absent, |metadata| &metadata.id)
    }

    /// Returns the package of the app that wrote it, if it is stated.
    pub(super) fn package(&self) -> Option<&str> {
        let origin = self.metadata.as_ref()?.origin.as_str().map(str::trim)?;
        Some(origin).filter(|package| !package.is_empty())
    }
}
