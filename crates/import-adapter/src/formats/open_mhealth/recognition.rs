//! Detection of Open mHealth files.

use super::{OpenMhealth, SCHEMAS};
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::{Document, Layout};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Lengths that only these schemas have.
const LENGTHS: [&str; 9] = [
    "total_sleep_time",
    "sleep_duration",
    "light_sleep_duration",
    "deep_sleep_duration",
    "rem_sleep_duration",
    "time_in_bed",
    "latency_to_sleep_onset",
    "latency_to_arising",
    "wake_after_sleep_onset",
];
/// Members with content besides a time frame.
const CONTENT_MEMBERS: [&str; 6] = [
    "is_main_sleep",
    "number_of_awakenings",
    "sleep_efficiency_percentage",
    "sleep_maintenance_efficiency_percentage",
    "sleep_stage_summary",
    "category_value",
];

/// Recognises data points and bodies: one, a list, or a reply of Shimmer (`{"shim": ..., "body": [...]}`).
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::new(Format::OpenMhealth, move |bytes, _| {
        Ok(OpenMhealth::new(Document::new(Cursor::new(bytes)?, layout)))
    }))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    if let Sketch::List(first) = sketch {
        let is_record = |first: &Sketch| has_schema(first) || is_body(first, named);
        return first.as_deref().map_or(named, is_record).then_some(Layout::List);
    }
    match sketch.member("body") {
        Some(list @ Sketch::List(_)) if sketch.has("shim") => {
            list.first().is_none_or(has_schema).then_some(Layout::Wrapped("body"))
        }
        _ => (is_data_point(sketch) || is_body(sketch, named)).then_some(Layout::Single),
    }
}

/// Returns whether a record is a data point of any schema; others in the file may be about sleep.
fn has_schema(record: &Sketch) -> bool {
    record.has("body")
        && record.path(&["header", "schema_id"]).is_some_and(|id| id.has("name") && id.has("version"))
}

fn is_data_point(record: &Sketch) -> bool {
    let name = record.path(&["header", "schema_id", "name"]).and_then(Sketch::text);
    record.has("body") && name.is_some_and(|name| SCHEMAS.contains(&name))
}

fn is_body(body: &Sketch, named: bool) -> bool {
    let has_length =
        |name: &&str| body.member(name).is_some_and(|length| length.has("value") && length.has("unit"));
    LENGTHS.iter().any(has_length)
        || body.has("effective_time_frame") && (named || CONTENT_MEMBERS.iter().any(|name| body.has(name)))
}
