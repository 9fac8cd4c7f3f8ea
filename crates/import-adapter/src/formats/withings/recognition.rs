//! Detection of Withings files.

use super::{Document, WithingsJson, tables};
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::Layout;
use crate::recognised::{RecognisedFile, layout_of_first};
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Recognises a table of an account's export by its header, and JSON by the members of a series' first
/// element.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if let Some(text) = seen.text() {
        return tables::recognise(text, named);
    }
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::new(Format::Withings, move |bytes, context| {
        Ok(WithingsJson::new(Document::new(Cursor::new(bytes)?, layout), context.zone))
    }))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    let lists = [
        // A reply without nights is still recognisable as one.
        (sketch.path(&["body", "series"]), Layout::Nested("body", "series"), named || sketch.has("status")),
        (sketch.member("series"), Layout::Wrapped("series"), named),
        (Some(sketch), Layout::List, named),
    ];
    let holds_sleep = |list: &Sketch, empty: bool| match list {
        Sketch::List(None) => empty,
        Sketch::List(Some(first)) => is_sleep(first),
        _ => false,
    };
    let found = layout_of_first(lists, holds_sleep);
    found.or_else(|| is_sleep(sketch).then_some(Layout::Single))
}

/// Measurements per second, which may be so many that `state` after them is not inspected.
const MEASUREMENTS: [&str; 6] = ["hr", "rr", "snoring", "sdnn_1", "rmssd", "mvt_score"];

/// Recognises an interval by its state and a summary by its data; workouts have data and a category.
fn is_sleep(record: &Sketch) -> bool {
    let is_stretch = record.has("state") || MEASUREMENTS.iter().any(|name| record.has(name));
    let is_summary = record.has("data") && !record.has("category") && !record.has("attrib");
    (record.has("startdate") || record.has("enddate")) && (is_stretch || is_summary)
}
