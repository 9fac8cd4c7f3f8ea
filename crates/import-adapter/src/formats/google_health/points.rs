//! Answers of the Google Health API: pages of data points, a list of them, or one per line.

use super::point::Point;
use super::point_session;
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::{Document, Layout, decode};
use crate::recognised::RecognisedFile;
use crate::sketch::Sketch;
use crate::source::{Items, Notes, RecordReader};
use crate::tally::Tally;
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;

const POINTS: &str = "dataPoints";
const OTHERS_NOTE: &str = "data points of other types than sleep were skipped";
const PAGES_NOTE: &str = "this answer is followed by further pages; import them as well";
const NO_SLEEP: &str =
    "these are answers of the Google Health API without sleep; request the data type sleep";

/// Recognises an answer by the members of its first point.
pub(super) fn recognise(sketch: &Sketch) -> Option<RecognisedFile> {
    let layout = match sketch {
        Sketch::List(Some(first)) => is_point(first).then_some(Layout::List),
        Sketch::Object(_) => match sketch.member(POINTS) {
            Some(Sketch::List(None)) => Some(Layout::Wrapped(POINTS)),
            Some(Sketch::List(Some(first))) => is_point(first).then_some(Layout::Wrapped(POINTS)),
            // One point, or one per line.
            _ => is_point(sketch).then_some(Layout::Row),
        },
        _ => None,
    }?;
    let token = sketch.member("nextPageToken");
    let has_next_page = token.is_some_and(|token| token.text().is_none_or(|text| !text.is_empty()));
    Some(RecognisedFile::new(Format::GoogleHealth, move |bytes, context| {
        let document = Document::new(Cursor::new(bytes)?, layout);
        Ok(Points {
            document,
            zone: context.zone,
            has_next_page,
            tally: Tally::default(),
            is_empty: true,
            has_sleep: false,
        })
    }))
}

/// Returns whether an object is a data point: one of sleep, or one whose name is that of the API.
fn is_point(point: &Sketch) -> bool {
    let name = ["name", "dataPointName"].into_iter().find_map(|name| point.member(name)?.text());
    point.path(&["sleep", "interval"]).is_some_and(|interval| matches!(interval, Sketch::Object(_)))
        || name.is_some_and(|name| name.contains("/dataTypes/") && name.contains("/dataPoints/"))
}

/// Reads the data points of sleep.
struct Points {
    document: Document,
    zone: TimeZone,
    /// Whether a page follows the one in this file.
    has_next_page: bool,
    tally: Tally,
    is_empty: bool,
    has_sleep: bool,
}

impl Points {
    fn end(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        if !self.is_empty && !self.has_sleep {
            return Err(ImportRefusal::HoldsNoSleep(NO_SLEEP.to_owned()));
        }
        if std::mem::take(&mut self.has_next_page) {
            items.note("record 1", PAGES_NOTE);
            return Ok(true);
        }
        Ok(self.tally.emit(items).is_some())
    }
}

impl RecordReader for Points {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else { return self.end(items) };
        let place = record.place();
        self.is_empty = false;
        let point = match decode::<Point>(record.text) {
            Ok(point) => point,
            Err(reason) => {
                // It may have been one of sleep.
                self.has_sleep = true;
                items.reject(&place, reason);
                return Ok(true);
            }
        };
        if let Some(sleep) = &point.sleep {
            self.has_sleep = true;
            let mut notes = Notes::default();
            let outcome = point_session::read(&point, sleep, self.zone, &mut notes);
            items.finish_session(&place, notes, outcome);
        } else {
            self.tally.add(OTHERS_NOTE, 0, &place);
        }
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}
