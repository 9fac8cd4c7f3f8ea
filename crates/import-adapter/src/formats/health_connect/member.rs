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
    offset_at_start: LooseScalar,
    #[serde(rename = "endZoneOffset")]
    offset_at_end: LooseScalar,
    #[serde(rename = "duration_seconds")]
    pub(super) duration: LooseScalar,
    /// Absent in records of other kinds.
    pub(super) stages: Option<Bounded<RawStage>>,
    /// Id and source as Life Dashboard writes them.
    uuid: LooseScalar,
    source: LooseScalar,
    metadata: Option<Metadata>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    id: LooseScalar,
    #[serde(rename = "dataOrigin", alias = "data_origin")]
    origin: LooseScalar,
    start_zone_offset: LooseScalar,
    end_zone_offset: LooseScalar,
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
    /// Device or app, in a session that was formed from samples of several.
    source: LooseScalar,
    /// Id of the sample that the stage was.
    uuid: LooseScalar,
}

impl RawStage {
    /// Returns the device or app, if it is stated.
    pub(super) fn source(&self) -> Option<&str> {
        self.source.as_str().map(str::trim).filter(|source| !source.is_empty())
    }
}

impl Record {
    /// Returns the id of the record. A session that was formed from samples has none: what stands for it
    /// changes with its first sample.
    pub(super) fn id(&self) -> &LooseScalar {
        let mut stages = self.stages.iter().flat_map(|stages| &stages.0);
        let is_of_samples = stages.any(|stage| !stage.uuid.is_blank());
        let flat = if is_of_samples { &LooseScalar::Absent } else { &self.uuid };
        first_stated(self.metadata(|metadata| &metadata.id), flat)
    }

    /// Returns the package of the app that wrote it, or the name of the device, if it is stated.
    pub(super) fn source(&self) -> Option<&str> {
        let origin = self.metadata(|metadata| &metadata.origin);
        let source = first_stated(origin, &self.source).as_str().map(str::trim);
        source.filter(|source| !source.is_empty())
    }

    /// Returns the offset at the start.
    pub(super) fn offset_at_start(&self) -> &LooseScalar {
        first_stated(&self.offset_at_start, self.metadata(|metadata| &metadata.start_zone_offset))
    }

    /// Returns the offset at the end.
    pub(super) fn offset_at_end(&self) -> &LooseScalar {
        first_stated(&self.offset_at_end, self.metadata(|metadata| &metadata.end_zone_offset))
    }

    fn metadata(&self, member: fn(&Metadata) -> &LooseScalar) -> &LooseScalar {
        self.metadata.as_ref().map_or(&LooseScalar::Absent, member)
    }
}

/// Returns the first of two spellings of a member, unless it is blank.
fn first_stated<'a>(one: &'a LooseScalar, other: &'a LooseScalar) -> &'a LooseScalar {
    if one.is_blank() { other } else { one }
}
