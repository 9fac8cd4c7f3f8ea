//! Messages for files that no format recognises.

use super::table::{Table, list_names};
use super::{FORMATS, no_sleep, own_tables};
use crate::format::Format;
use crate::intake_csv::{SEMICOLONS, is_header_with_semicolons};
use crate::seen::{FilePreview, NOT_A_TEXT, Text};
use crate::sketch::Sketch;
use application::ports::import_source::ImportRefusal;

impl FilePreview {
    /// Reports that the file is not of the requested format, and its actual content.
    pub(super) fn refusal(self, asked: Format) -> ImportRefusal {
        if let Some(refusal) = self.text().and_then(known_table) {
            return refusal;
        }
        let formats = self.other_formats(asked);
        let seen = match (self, formats.as_slice()) {
            (Self::Json(_, Some(damage)), []) => return damage,
            (_, [found]) if asked != Format::Auto => found.described().to_owned(),
            (seen, _) => seen.described(),
        };
        let seen = match asked {
            Format::Auto => format!("unsupported file: {seen}"),
            other => format!("not {}; it is {seen}", other.described()),
        };
        if formats.is_empty() {
            return ImportRefusal::NotThisFormat(seen);
        }
        ImportRefusal::OtherFormat { seen, formats: formats.into_iter().map(Format::as_str).collect() }
    }

    /// Finds the format of the content when another one was requested. When none was, finds the formats that
    /// would accept the file on request, except those that accept any object or number.
    fn other_formats(&self, asked: Format) -> Vec<Format> {
        if self.is_empty() {
            return Vec::new();
        }
        if asked != Format::Auto {
            return self.first_claim(Format::Auto, false).map(|found| found.format()).into_iter().collect();
        }
        let takes_anything = |format: Format| matches!(format, Format::Ndjson | Format::Hypnogram);
        let formats = FORMATS.iter().filter(|(format, _)| !takes_anything(*format));
        formats.filter(|(_, recognise)| recognise(self, true).is_some()).map(|(format, _)| *format).collect()
    }

    fn described(&self) -> String {
        match self {
            Self::Empty => "an empty file".to_owned(),
            Self::Json(sketch, _) => outlined(sketch),
            Self::Text(text) if text.ends_in_other_bytes() => NOT_A_TEXT.to_owned(),
            Self::Text(text) => Table::from_header(text)
                .map_or_else(|| "a text file in no supported format".to_owned(), |table| table.described()),
            Self::Binary(what) => (*what).to_owned(),
        }
    }
}

/// Rejects a known table that cannot be imported, with advice.
fn known_table(text: &Text) -> Option<ImportRefusal> {
    if is_header_with_semicolons(text.first_line()) {
        return Some(ImportRefusal::NotInThisWay(SEMICOLONS.to_owned()));
    }
    let header = text.header()?;
    if own_tables::is_one(&header) {
        return Some(ImportRefusal::NotInThisWay(own_tables::ADVICE.to_owned()));
    }
    no_sleep::sentence(&header).map(|sentence| ImportRefusal::HoldsNoSleep(sentence.to_owned()))
}

fn outlined(sketch: &Sketch) -> String {
    match sketch {
        Sketch::List(None) => "an empty JSON list".to_owned(),
        Sketch::List(Some(first)) if first.names().is_empty() => {
            "a JSON list whose first element is not an object with members".to_owned()
        }
        Sketch::List(Some(first)) => {
            format!("a JSON list of objects with {}", list_names("member", &first.names()))
        }
        sketch if sketch.names().is_empty() => "an empty JSON object".to_owned(),
        sketch => format!("a JSON object with {}", list_names("member", &sketch.names())),
    }
}
