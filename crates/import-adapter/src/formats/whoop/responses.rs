//! Detection of answers of the API.

use super::sleep;
use crate::formats::Format;
use crate::json::{Layout, Page};
use crate::recognised::{RecognisedFile, layout_of_first};
use crate::sketch::Sketch;

/// Recognises JSON by the members of a sleep.
pub(super) fn recognise(sketch: &Sketch, named: bool) -> Option<RecognisedFile> {
    let layout = layout(sketch, named)?;
    let page = Page::new(sketch, layout, "next_token");
    Some(RecognisedFile::new(Format::Whoop, move |bytes, context| page.open(bytes, &context, sleep::read)))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    if sketch.first().is_some_and(is_sleep) {
        return Some(Layout::List);
    }
    if is_sleep(sketch) {
        return Some(Layout::Row);
    }
    let lists = [
        (sketch.member("records"), Layout::Wrapped("records"), named),
        (sketch.path(&["sleep", "records"]), Layout::Nested("sleep", "records"), named),
        (sketch.member("sleep"), Layout::Wrapped("sleep"), named),
        (sketch.member("sleeps"), Layout::Wrapped("sleeps"), named),
    ];
    layout_of_first(lists, |list, empty| match list {
        Sketch::List(None) => empty,
        Sketch::List(Some(first)) => is_sleep(first),
        _ => false,
    })
}

/// Cycles and workouts have `score_state` too, but no `nap` and no stages.
fn is_sleep(record: &Sketch) -> bool {
    let has_stages = record.path(&["score", "stage_summary"]).is_some();
    record.has("start") && record.has("score_state") && (record.has("nap") || has_stages)
}
