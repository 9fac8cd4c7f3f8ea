//! Detection of Fitbit files.

use super::log_reader::LogReader;
use super::web_export::{WebExport, begins_web_export};
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::{Document, Layout};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Members that only sleep logs have; activity logs share `logId`, `startTime` and `duration`.
const SLEEP_ONLY: [&str; 6] =
    ["dateOfSleep", "minutesAsleep", "timeInBed", "minuteData", "isMainSleep", "mainSleep"];

/// Recognises JSON by the members of a sleep log, and the web export's CSV by its title or header.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    if seen.text().is_some_and(|text| begins_web_export(text.first_line())) {
        return Some(RecognisedFile::new(Format::Fitbit, |bytes, context| {
            Ok(WebExport::new(Cursor::new(bytes)?, context.zone))
        }));
    }
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::new(Format::Fitbit, move |bytes, context| {
        Ok(LogReader::new(Document::new(Cursor::new(bytes)?, layout), context.zone))
    }))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    match (sketch, sketch.member("sleep")) {
        // An empty list is an empty month of Takeout; it has nothing to identify it.
        (Sketch::List(None), _) => Some(Layout::List),
        (Sketch::List(Some(first)), _) => is_sleep_log(first, named).then_some(Layout::List),
        (_, Some(Sketch::List(None))) => Some(Layout::Wrapped("sleep")),
        (_, Some(Sketch::List(Some(log)))) => is_sleep_log(log, named).then_some(Layout::Wrapped("sleep")),
        (_, Some(log @ Sketch::Object(_))) => is_sleep_log(log, named).then_some(Layout::Wrapped("sleep")),
        (single, _) => is_sleep_log(single, named).then_some(Layout::Single),
    }
}

fn is_sleep_log(log: &Sketch, named: bool) -> bool {
    SLEEP_ONLY.iter().any(|name| log.has(name))
        || log.has("startTime") && (log.has("levels") || named && !log.has("activityName"))
}
