//! Labels of the NIH Dietary Supplement Label Database: one, several in sequence, a list, or a search result.
//!
//! The rules are in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod label;
mod mapping;

use crate::formats::{Format, FormatInfo};
use crate::json::{Layout, Record, decode};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes};
use application::ports::import_source::{ImportItem, ImportedSupplement};
use domain::time::TimeZone;
use label::Label;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "dsld",
    file: "a DSLD file",
    maker: "NIH label database (DSLD)",
    steps: &[],
    files: "labels, one or 200,000",
    result: "labels of the catalogue",
    recognise,
    tables: &[],
    others: &[],
};

/// Maximum size of a label in bytes. The longest have about 100,000; nested rows need much more memory.
const LABEL_LIMIT: usize = 1024 * 1024;

/// Recognises one or several labels, a list of labels, and search results.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let layout = layout(seen.json()?, named)?;
    Some(RecognisedFile::document(Format::Dsld, layout, read))
}

fn layout(sketch: &Sketch, named: bool) -> Option<Layout> {
    match (sketch, sketch.member("hits")) {
        (Sketch::List(None), _) => named.then_some(Layout::List),
        (Sketch::List(Some(first)), _) => is_label(first).then_some(Layout::List),
        (_, Some(hits @ Sketch::List(_))) => {
            hits.first().is_none_or(|hit| hit.has("_source")).then_some(Layout::Wrapped("hits"))
        }
        (first, _) => is_label(first).then_some(Layout::Row),
    }
}

fn is_label(label: &Sketch) -> bool {
    label.has("ingredientRows") || label.has("fullName") && label.has("brandName")
}

/// Adds the supplement of a label.
fn read(record: &Record<'_>, _zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let place = record.place();
    let supplement = label(record.text, &place, &mut notes);
    let outcome = supplement.map(|supplement| ImportItem::Supplement(Box::new(supplement)));
    items.finish(&place, notes, outcome);
}

fn label(text: &str, place: &str, notes: &mut Notes) -> Result<ImportedSupplement, String> {
    if text.len() > LABEL_LIMIT {
        return Err("a label is longer than 1 MiB".to_owned());
    }
    mapping::read(decode::<Label>(text)?.label(), place, notes)
}

#[cfg(test)]
mod tests;
