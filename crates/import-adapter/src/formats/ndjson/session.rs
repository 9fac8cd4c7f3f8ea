//! The line `sleep_session`: the API's session with `raw_sleep` and `sleep_metric`.

use super::invalid_item::{InvalidItem, at, named};
use super::line::{check_person, given};
use crate::json::{Bounded, LooseScalar};
use crate::session;
use crate::source::Notes;
use crate::timestamp::Timestamp;
use application::ports::import_source::ImportedSession;
use domain::id::{SleepSessionId, UserId};
use domain::import::RecordPosition;
use domain::sleep::{
    Hypnogram, MetricKind, MetricValue, SessionKey, SessionKeyKind, SleepMetrics, SleepRecord,
    SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed,
};
use serde::Deserialize;
use std::borrow::Cow;

/// Defines a line with its stages and metrics. Texts are borrowed from the line unless they need unescaping,
/// because there are many.
macro_rules! members {
    ($line:ident, $stage:ident, $metric:ident, $kind:ty $(, #[$attribute:meta])?) => {
        #[derive(Debug, Deserialize)]
        $(#[$attribute])?
        pub(super) struct $line<'a> {
            #[serde(rename = "type", default)]
            _type: $kind,
            id: Option<String>,
            user_id: Option<String>,
            #[serde(borrow)]
            time_in_bed_start: Cow<'a, str>,
            #[serde(borrow)]
            time_in_bed_end: Cow<'a, str>,
            #[serde(default, borrow)]
            raw_sleep: Bounded<$stage<'a>>,
            #[serde(default)]
            sleep_metric: Bounded<$metric>,
            source: Option<String>,
            is_nap: Option<bool>,
            updated_at: Option<String>,
            external_id: Option<String>,
            external_id_kind: Option<String>,
        }

        #[derive(Debug, Deserialize)]
        $(#[$attribute])?
        struct $stage<'a> {
            #[serde(borrow)]
            stage: Cow<'a, str>,
            #[serde(borrow)]
            start: Cow<'a, str>,
            #[serde(borrow)]
            end: Cow<'a, str>,
        }

        #[derive(Debug, Deserialize)]
        $(#[$attribute])?
        struct $metric {
            sleep_metric: String,
            value: f64,
        }
    };
}

members!(Line, RawStage, RawMetric, LooseScalar);
// A type that is not a text may have any content.
members!(KnownLine, KnownStage, KnownMetric, Option<&'a str>, #[serde(deny_unknown_fields)]);

/// Parses a line that has only known members at any depth; `None` for any other line, valid or not. Looking
/// for unknown members costs a text for each of a night's hundred members or more.
pub(super) fn known_members(text: &str) -> Option<Line<'_>> {
    serde_json::from_str::<KnownLine<'_>>(text).ok().map(Line::from)
}

impl<'a> From<KnownLine<'a>> for Line<'a> {
    fn from(line: KnownLine<'a>) -> Self {
        let KnownLine {
            _type: _,
            id,
            user_id,
            time_in_bed_start,
            time_in_bed_end,
            raw_sleep,
            sleep_metric,
            source,
            is_nap,
            updated_at,
            external_id,
            external_id_kind,
        } = line;
        Self {
            _type: LooseScalar::Absent,
            id,
            user_id,
            time_in_bed_start,
            time_in_bed_end,
            raw_sleep: Bounded(raw_sleep.0.into_iter().map(RawStage::from).collect()),
            sleep_metric: Bounded(sleep_metric.0.into_iter().map(RawMetric::from).collect()),
            source,
            is_nap,
            updated_at,
            external_id,
            external_id_kind,
        }
    }
}

impl<'a> From<KnownStage<'a>> for RawStage<'a> {
    fn from(KnownStage { stage, start, end }: KnownStage<'a>) -> Self {
        Self { stage, start, end }
    }
}

impl From<KnownMetric> for RawMetric {
    fn from(KnownMetric { sleep_metric, value }: KnownMetric) -> Self {
        Self { sleep_metric, value }
    }
}

pub(super) fn read(
    line: &Line<'_>,
    user_id: Option<UserId>,
    place: &str,
    notes: &mut Notes,
) -> Result<Box<ImportedSession>, InvalidItem> {
    check_person(line.user_id.as_deref(), user_id)?;
    let start =
        Timestamp::parse("time_in_bed_start", &line.time_in_bed_start).map_err(at("time_in_bed_start"))?;
    let end = Timestamp::parse("time_in_bed_end", &line.time_in_bed_end).map_err(at("time_in_bed_end"))?;
    let time_in_bed = TimeInBed::new(start.instant, end.instant, start.offset, end.offset)
        .map_err(|error| at("time_in_bed_end")(format!("time in bed: {error}")))?;
    let id = given(line.id.as_deref()).map(SleepSessionId::parse).transpose().map_err(named("id"))?;
    let source = given(line.source.as_deref()).map(SleepSource::parse).transpose();
    let updated_at = line
        .updated_at
        .as_deref()
        .map(|text| Timestamp::parse("updated_at", text))
        .transpose()
        .map_err(at("updated_at"))?;
    let head = SleepRecordHead {
        key: key(line, &time_in_bed)?,
        source: source.map_err(named("source"))?,
        time_in_bed,
        is_nap: line.is_nap,
    };
    let hypnogram = hypnogram(&line.raw_sleep.0, &time_in_bed, notes).map_err(at("raw_sleep"))?;
    let record = if hypnogram.is_empty() {
        let (metrics, unknown) =
            metrics(&line.sleep_metric.0, &time_in_bed, notes).map_err(at("sleep_metric"))?;
        notes.count(unknown, "unknown metrics were left out");
        SleepRecord::from_metrics(head, metrics)
    } else {
        // Metrics in addition to stages are optional, and matter only if the stages cover little.
        match metrics(&line.sleep_metric.0, &time_in_bed, notes) {
            Ok((metrics, _)) => SleepRecord::from_stages_or_metrics(head, hypnogram, metrics),
            Err(_) => SleepRecord::from_stages(head, hypnogram),
        }
    };
    let record = record.map_err(at("raw_sleep"))?;
    let updated_at = updated_at.map(|timestamp| timestamp.instant);
    let (place, position) = (place.to_owned(), RecordPosition::default());
    Ok(Box::new(ImportedSession { place, position, id, record, updated_at }))
}

/// Returns the session's key, else one derived from its start.
fn key(line: &Line<'_>, time_in_bed: &TimeInBed) -> Result<SessionKey, InvalidItem> {
    let kind = match line.external_id_kind.as_deref() {
        None | Some("given") => SessionKeyKind::Given,
        Some("derived") => SessionKeyKind::Derived,
        Some(_) => return Err(at("external_id_kind")("external_id_kind is neither given nor derived")),
    };
    match given(line.external_id.as_deref()) {
        Some(text) => SessionKey::from_parts(kind, text).map_err(named("external_id")),
        None => Ok(SessionKey::derived_from(time_in_bed.start())),
    }
}

fn hypnogram(raw: &[RawStage<'_>], time_in_bed: &TimeInBed, notes: &mut Notes) -> Result<Hypnogram, String> {
    let mut entries = Vec::with_capacity(raw.len());
    for RawStage { stage, start, end } in raw {
        let stage = Stage::parse(stage)
            .ok_or("raw_sleep: a stage is not one of AWAKE, LIGHT, DEEP, REM, ASLEEP and UNKNOWN")?;
        // A stage's offset is that of the start; only the instant matters.
        let start = Timestamp::parse("raw_sleep: start", start)?.instant;
        let end = Timestamp::parse("raw_sleep: end", end)?.instant;
        entries.push(StageEntry::new(stage, start, end).map_err(|error| format!("raw_sleep: {error}"))?);
    }
    if let Ok(hypnogram) = Hypnogram::new(entries.clone(), time_in_bed) {
        return Ok(hypnogram);
    }
    notes.add(
        "stages overlap, are out of order or lie outside the time in bed; they were merged into one timeline",
    );
    Hypnogram::flatten(entries, time_in_bed).map_err(|error| format!("raw_sleep: {error}"))
}

/// Returns the metrics and the number of unknown ones.
fn metrics(
    raw: &[RawMetric],
    time_in_bed: &TimeInBed,
    notes: &mut Notes,
) -> Result<(SleepMetrics, usize), String> {
    let mut unknown = 0_usize;
    let mut reported = Vec::with_capacity(raw.len());
    for RawMetric { sleep_metric, value } in raw {
        let Some(kind) = MetricKind::parse(sleep_metric) else {
            unknown = unknown.saturating_add(1);
            continue;
        };
        let value = MetricValue::from_f64(*value).ok_or("sleep_metric: a value is not a number")?;
        reported.push((kind, value));
    }
    let is_given = reported.iter().any(|(kind, _)| *kind != MetricKind::TimeNightInBed);
    let metrics = SleepMetrics::from_reported(time_in_bed, reported);
    let metrics = metrics.map_err(|error| format!("sleep_metric: {error}"))?;
    if is_given {
        session::note_silence(&metrics, notes);
    }
    Ok((metrics, unknown))
}
