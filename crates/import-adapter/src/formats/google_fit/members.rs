//! One session as Google Fit writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A session; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Session {
    #[serde(rename = "fitnessActivity")]
    pub(super) activity: LooseScalar,
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
    #[serde(rename = "segment")]
    pub(super) segments: Bounded<Segment>,
}

/// A part of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Segment {
    #[serde(rename = "fitnessActivity")]
    pub(super) activity: LooseScalar,
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
}
