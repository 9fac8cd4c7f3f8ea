//! Detection of Oura files.

use super::tables;
use crate::formats::Format;
use crate::json::Layout;
use crate::recognised::{RecognisedFile, layout_of_first};
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Members of a sleep document, at least one of which accompanies `bedtime_start`.
const SLEEP_ONLY: [&str; 8] = [
    "bedtime_end",
    "sleep_phase_5_min",
    "time_in_bed",
    "total_sleep_duration",
    "hypnogram_5min",
    "period_id",
    "is_longest",
    "low_battery_alert",
];

/// Lists that accompany `sleep` in an export of all data.
const OTHER_LISTS: [&str; 5] = ["activity", "readiness", "daily_activity", "daily_readiness", "daily_sleep"];

/// Recognises a table by its columns, and JSON by the members of a sleep document.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if let Some(text) = seen.text() {
        return tables::recognise(text);
    }
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::document(Format::Oura, layout, super::read))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    if sketch.is_empty_list() {
        return named.then_some(Layout::List);
    }
    if sketch.first().is_some_and(is_sleep) {
        return Some(Layout::List);
    }
    if is_sleep(sketch) {
        return Some(Layout::Single);
    }
    // `{"sleep":[]}` may also be Fitbit's, which is tried first; an empty reply of version 2 has
    // `next_token`.
    let lists = [
        (sketch.member("sleep"), Layout::Wrapped("sleep"), named),
        (sketch.path(&["sleep", "data"]), Layout::Nested("sleep", "data"), true),
        (sketch.member("data"), Layout::Wrapped("data"), named || sketch.has("next_token")),
    ];
    let holds_sleep = |list: &Sketch, empty: bool| match list {
        Sketch::List(None) => empty,
        Sketch::List(Some(first)) => is_sleep(first),
        Sketch::Object(_) => is_sleep(list),
        _ => false,
    };
    let found = layout_of_first(lists, holds_sleep);
    found.or_else(|| begins_export(sketch, named).then_some(Layout::Wrapped("sleep")))
}

fn is_sleep(record: &Sketch) -> bool {
    record.has("bedtime_start") && SLEEP_ONLY.iter().any(|name| record.has(name))
}

/// Recognises an export whose list of sleep is beyond the inspected part. A single list may be another reply,
/// so it is accepted only if the format was requested.
fn begins_export(sketch: &Sketch, named: bool) -> bool {
    let is_days = |name: &&&str| {
        let first = sketch.member(name).and_then(Sketch::first);
        first.is_some_and(|day| day.has("summary_date") || day.has("day"))
    };
    let enough = if named { 1 } else { 2 };
    !sketch.has("sleep") && OTHER_LISTS.iter().filter(is_days).count() >= enough
}
