//! Hypnograms of polysomnography: a number or letter per 30 seconds, as lines of text, a table or a JSON
//! list.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod night;
mod table;
mod values;

use crate::formats::{Format, FormatInfo, TableHeader};
use crate::input::{Bytes, Cursor, Position, damaged};
use crate::open::FileContext;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use night::{Night, Score};
use table::{Columns, Row};
pub(crate) use table::{KNOWN_COLUMNS, NEEDED_COLUMNS};
use values::{Layout, Values};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "hypnogram",
    file: "a hypnogram",
    maker: "Sleep lab (polysomnography)",
    steps: &[
        "Upload the hypnogram as a text file with one stage per 30 seconds. Restwell asks for the start of the recording if the file does not state it.",
    ],
    files: "a stage for each 30 seconds, as text, table or JSON",
    result: "a night with stages",
    recognise,
    tables: &[TableHeader {
        needs: &NEEDED_COLUMNS,
        knows: &KNOWN_COLUMNS,
        separator: crate::input::Separator::Comma,
    }],
    others: &[],
};

/// The whole file is one record.
const PLACE: &str = "record 1";

/// Recognises a JSON list, or lines, of numbers or stage letters; without a requested format, numbers must be
/// those of sleep stages.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen, named)?;
    Some(RecognisedFile::new(Format::Hypnogram, move |bytes, context| {
        Hypnograms::open(bytes, &context, layout)
    }))
}

fn layout(seen: &FilePreview, named: bool) -> Option<Layout> {
    match seen {
        FilePreview::Json(Sketch::List(None), _) => named.then_some(Layout::List),
        FilePreview::Json(Sketch::List(Some(first)), _) => {
            let letters = || first.text().and_then(Score::of_letters);
            let score = first.number().map(Score::of_number).or_else(letters)?;
            (named || score.stage.is_some()).then_some(Layout::List)
        }
        FilePreview::Empty => named.then_some(Layout::Lines),
        FilePreview::Json(..) | FilePreview::Database(_) | FilePreview::Binary(_) => None,
        FilePreview::Text(text) => {
            if let Some(columns) = Columns::of(text.first_line()) {
                let first = text.lines().get(1).and_then(|line| columns.row(line));
                let is_stage =
                    |row: &Row| night::score(&row.stage).is_some_and(|score| score.stage.is_some());
                return (named || first.as_ref().is_some_and(is_stage)).then_some(Layout::Rows(columns));
            }
            let values = text.lines().iter().filter_map(|line| values::of_line(line));
            let scores: Vec<_> = values.map(night::score).collect::<Option<_>>()?;
            let are_stages = !scores.is_empty() && scores.iter().all(|score| score.stage.is_some());
            (named || are_stages).then_some(Layout::Lines)
        }
    }
}

/// Reads one night.
pub(crate) struct Hypnograms {
    values: Values,
    night: Night,
}

impl Hypnograms {
    fn open(bytes: Bytes, context: &FileContext, layout: Layout) -> Result<Self, ImportRefusal> {
        if let Layout::Rows(columns) = layout
            && let Some(reason) = columns.fault()
        {
            return Err(damaged(Position::START, reason));
        }
        let start = context.start.ok_or_else(|| ImportRefusal::NoStart(String::new()))?;
        Ok(Self { values: Values::new(Cursor::new(bytes)?, layout), night: Night::new(start) })
    }
}

impl RecordReader for Hypnograms {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        if let Some(value) = self.values.next_value()? {
            if let Some(position) = value.position {
                self.night.check_position(position, value.place);
            }
            self.night.add(&value.text, value.place);
            return Ok(true);
        }
        if let Some(outcome) = self.night.end().transpose() {
            items.finish_session(PLACE, Notes::default(), outcome);
        }
        Ok(false)
    }

    fn bytes_read(&self) -> u64 {
        self.values.bytes_read()
    }
}

#[cfg(test)]
mod tests;
