//! A data point as the Google Health API writes it; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// A data point of any type; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Point {
    name: LooseScalar,
    data_point_name: LooseScalar,
    data_source: Option<DataSource>,
    /// Absent in points of other types.
    pub(super) sleep: Option<Sleep>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DataSource {
    platform: LooseScalar,
    application: Option<Application>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Application {
    package_name: LooseScalar,
}

impl Point {
    /// Returns the id, the last part of the name.
    pub(super) fn id(&self) -> LooseScalar {
        let name = if self.name.is_blank() { &self.data_point_name } else { &self.name };
        let last = name.as_str().and_then(|name| name.rsplit('/').next());
        last.map_or(LooseScalar::Absent, |id| LooseScalar::Text(id.to_owned()))
    }

    /// Returns the app or platform that wrote it; `None` for devices of the account, and if it is not stated.
    pub(super) fn other_writer(&self) -> Option<String> {
        let source = self.data_source.as_ref()?;
        let platform = source.platform.as_str().map(str::trim).filter(|platform| !platform.is_empty())?;
        if platform.eq_ignore_ascii_case("FITBIT") {
            return None;
        }
        let package = source.application.as_ref().and_then(|app| app.package_name.identifier());
        Some(package.unwrap_or_else(|| platform.to_ascii_lowercase().replace('_', " ")))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Sleep {
    pub(super) interval: Option<Interval>,
    pub(super) stages: Bounded<RawStage>,
    metadata: Option<Metadata>,
    pub(super) summary: Option<Summary>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Interval {
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
    pub(super) start_utc_offset: LooseScalar,
    pub(super) end_utc_offset: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RawStage {
    pub(super) start_time: LooseScalar,
    pub(super) end_time: LooseScalar,
    #[serde(rename = "type")]
    pub(super) kind: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    nap: LooseScalar,
    main_sleep: LooseScalar,
    /// The former name of `mainSleep`.
    main: LooseScalar,
}

/// Totals in minutes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Summary {
    #[serde(rename = "minutesAsleep")]
    pub(super) asleep: LooseScalar,
    #[serde(rename = "minutesAwake")]
    pub(super) awake: LooseScalar,
    #[serde(rename = "minutesToFallAsleep")]
    pub(super) to_fall_asleep: LooseScalar,
}

impl Sleep {
    /// Returns whether this was a nap, if the point says so. The API omits flags that are false.
    pub(super) fn is_nap(&self) -> Option<bool> {
        let metadata = self.metadata.as_ref()?;
        let is_main = metadata.main_sleep.as_flag().or_else(|| metadata.main.as_flag());
        metadata.nap.as_flag().or_else(|| is_main.filter(|is_main| *is_main).map(|_| false))
    }
}
