//! Detection of the database, and of the JSON of exporter apps.

use super::record;
use super::tables::{SESSIONS, Tables};
use crate::database::{Database, Schema};
use crate::formats::Format;
use crate::json::Layout;
use crate::recognised::{RecognisedFile, layout_of_first};
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use application::ports::import_source::ImportRefusal;

const TEST: &str = "this is the test of an exporter app, whose sleep is made up; nothing was imported";

/// Recognises the database by its table of sessions, and JSON by the members of the first session; an
/// empty list only if the format was requested.
pub(super) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if seen.database().is_some_and(is_database) {
        return Some(RecognisedFile::new(Format::HealthConnect, |bytes, context| {
            Tables::new(Database::open(bytes, context.scratch.as_deref())?, context.zone)
        }));
    }
    let sketch = seen.json()?;
    if is_exporter(sketch) && sketch.member("test").is_some_and(Sketch::is_true) {
        return Some(RecognisedFile::new(Format::HealthConnect, |_, _| {
            Err::<Tables, _>(ImportRefusal::HoldsNoSleep(TEST.to_owned()))
        }));
    }
    Some(RecognisedFile::document(Format::HealthConnect, layout(sketch, named)?, record::read))
}

fn is_database(schema: &Schema) -> bool {
    schema.has(SESSIONS)
}

/// Returns whether these are the root members of HC Webhook and Life Dashboard.
fn is_exporter(sketch: &Sketch) -> bool {
    sketch.has("timestamp") && sketch.has("app_version")
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    let lists = [
        (sketch.member("sleep"), Layout::Wrapped("sleep"), named || is_exporter(sketch)),
        (sketch.member("data"), Layout::Wrapped("data"), named),
        (Some(sketch), Layout::List, named),
    ];
    let holds_sleep = |list: &Sketch, empty: bool| match list {
        Sketch::List(None) => empty,
        Sketch::List(Some(first)) => is_session(first),
        Sketch::Object(_) => is_session(list),
        _ => false,
    };
    if is_session(sketch) {
        return Some(Layout::Row);
    }
    // Sleep may follow other measures beyond the outline.
    let without_sleep = (is_exporter(sketch) && !sketch.has("sleep")).then_some(Layout::Wrapped("sleep"));
    layout_of_first(lists, holds_sleep).or(without_sleep)
}

/// Returns whether an object is a session: other records of Health Connect have no stages.
fn is_session(record: &Sketch) -> bool {
    let is_of_webhook = record.has("session_end_time") && record.has("duration_seconds");
    let is_of_library = record.has("startTime")
        && record.has("endTime")
        && record.path(&["metadata", "dataOrigin"]).is_some();
    record.has("stages") && (is_of_webhook || is_of_library)
}
