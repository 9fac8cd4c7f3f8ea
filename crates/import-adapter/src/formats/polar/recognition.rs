//! Detection of Polar files.

use crate::formats::Format;
use crate::json::Layout;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Recognises JSON by the members of a night.
pub(super) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::document(Format::Polar, layout, super::read))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    if sketch.is_empty_list() {
        return named.then_some(Layout::List);
    }
    if sketch.first().is_some_and(|night| is_of_export(night) || is_of_api(night)) {
        return Some(Layout::List);
    }
    if is_of_api(sketch) {
        return Some(Layout::Single);
    }
    match sketch.member("nights")? {
        Sketch::List(Some(first)) => is_of_api(first).then_some(Layout::Wrapped("nights")),
        Sketch::List(None) => named.then_some(Layout::Wrapped("nights")),
        _ => None,
    }
}

fn is_of_export(night: &Sketch) -> bool {
    ["night", "evaluation", "sleepResult"].iter().all(|name| night.has(name))
}

fn is_of_api(night: &Sketch) -> bool {
    ["date", "sleep_start_time", "sleep_end_time"].iter().all(|name| night.has(name))
}
