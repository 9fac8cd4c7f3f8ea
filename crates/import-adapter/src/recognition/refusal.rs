//! Messages for files that no format recognises.

use super::own_tables;
use super::table::{Table, list_names};
use crate::formats::Format;
use crate::formats::intake_csv::{SEMICOLONS, is_header_with_semicolons};
use crate::input::{Separator, has_columns};
use crate::seen::{FilePreview, JsonFile, NOT_A_TEXT, Text};
use crate::sketch::Sketch;
use application::ports::import_source::ImportRefusal;

impl FilePreview {
    /// Reports that the file is not of the requested format, and its actual content.
    pub(super) fn refusal(self, asked: Option<Format>) -> ImportRefusal {
        if let Some(refusal) = self.text().and_then(known_table) {
            return refusal;
        }
        let formats = self.other_formats(asked);
        let seen = match (self, formats.as_slice()) {
            (Self::Json(_, JsonFile { damage: Some(damage), .. }), []) => return damage,
            (_, [found]) if asked.is_some() => found.described().to_owned(),
            (seen, _) => seen.described(),
        };
        let seen = match asked {
            None => format!("unsupported file: {seen}"),
            Some(other) => format!("not {}; it is {seen}", other.described()),
        };
        if formats.is_empty() {
            return ImportRefusal::NotThisFormat(seen);
        }
        ImportRefusal::OtherFormat { seen, formats: formats.into_iter().map(Format::as_str).collect() }
    }

    /// Finds the format of the content when another one was requested. When none was, finds the formats that
    /// would accept the file on request, except those that accept any object or number.
    fn other_formats(&self, asked: Option<Format>) -> Vec<Format> {
        if self.is_empty() {
            return Vec::new();
        }
        if asked.is_some() {
            return self.first_claim(None, false).map(|found| found.format()).into_iter().collect();
        }
        let takes_anything = |format: Format| matches!(format, Format::Ndjson | Format::Hypnogram);
        let formats = Format::ALL.into_iter().filter(|format| !takes_anything(*format));
        formats.filter(|format| (format.info().recognise)(self, true).is_some()).collect()
    }

    fn described(&self) -> String {
        match self {
            Self::Empty => "an empty file".to_owned(),
            Self::Json(sketch, _) => outlined(sketch),
            Self::Text(text) if text.ends_in_other_bytes() => NOT_A_TEXT.to_owned(),
            Self::Text(text) => Table::from_header(text)
                .map_or_else(|| "a text file in no supported format".to_owned(), |table| table.described()),
            Self::Database(schema) if schema.tables.is_empty() => {
                "an SQLite database without tables".to_owned()
            }
            Self::Database(schema) => {
                let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
                format!("an SQLite database with {}", list_names("table", &names))
            }
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
    let mut others = Format::ALL.into_iter().flat_map(|format| format.info().others);
    let headers: Vec<_> = Separator::ALL.iter().filter_map(|one| text.header_with(*one)).collect();
    let found = others.find(|table| headers.iter().any(|header| has_columns(header, table.columns)))?;
    Some(ImportRefusal::HoldsNoSleep(found.advice.to_owned()))
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
