//! Answers of the API: their detection, and pages that others follow.

use super::sleep;
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::{Document, DocumentReader, Layout};
use crate::recognised::{RecognisedFile, layout_of_first};
use crate::sketch::Sketch;
use crate::source::{Items, RecordReader};
use application::ports::import_source::ImportRefusal;

/// Recognises JSON by the members of a sleep.
pub(super) fn recognise(sketch: &Sketch, named: bool) -> Option<RecognisedFile> {
    let layout = layout(sketch, named)?;
    let has_next = sketch.member("next_token").and_then(Sketch::text).is_some_and(|token| !token.is_empty());
    Some(RecognisedFile::new(Format::Whoop, move |bytes, context| {
        let document = Document::new(Cursor::new(bytes)?, layout);
        Ok(Page { sleeps: DocumentReader::new(document, context.zone, sleep::read), has_next })
    }))
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

/// An answer with several sleeps.
struct Page {
    sleeps: DocumentReader,
    /// Whether another page follows.
    has_next: bool,
}

impl RecordReader for Page {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let is_read = self.sleeps.read_record(items)?;
        if !is_read && std::mem::take(&mut self.has_next) {
            items.note("next_token", "another page of sleeps follows this one; import it as well");
        }
        Ok(is_read)
    }

    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        self.sleeps.check_record()
    }

    fn bytes_read(&self) -> u64 {
        self.sleeps.bytes_read()
    }
}
