//! Detection of Garmin files.

use crate::formats::Format;
use crate::json::Layout;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Members that only Garmin's days of sleep have. A day of the export without a recording has only `retro`.
const SLEEP_ONLY: [&str; 4] =
    ["dailySleepDTO", "sleepStartTimestampGMT", "sleepWindowConfirmationType", "retro"];

/// Recognises JSON by the members of a day of sleep.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::document(Format::Garmin, layout, super::read))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    let is_day = |day: &Sketch| SLEEP_ONLY.iter().any(|name| day.has(name));
    match sketch {
        Sketch::List(None) => named.then_some(Layout::List),
        Sketch::List(Some(first)) => is_day(first).then_some(Layout::List),
        single => is_day(single).then_some(Layout::Single),
    }
}
