//! Results on standard output: sentences for people, JSON lines for programs.

use super::streams;
use domain::deceptive_text::{escape_deceptive, replaced};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, Write};

/// Batch size of lists that are read from the store.
pub(super) const PAGE: u32 = 500;

/// One result: names with values, in output order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record(Vec<(&'static str, Value)>);

impl Record {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// Adds a value formatted with `Display`.
    pub(crate) fn with_text(self, name: &'static str, value: impl Display) -> Self {
        self.with(name, format!("{value}"))
    }

    /// Returns the result as a JSON object on one line.
    pub(crate) fn to_json(&self) -> io::Result<String> {
        json(self)
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Standard output closed by its reader, as `head` does.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub(crate) struct StdoutClosed;

/// Standard output; fails with [`StdoutClosed`] if its reader closed it, unlike other broken pipes.
pub(crate) struct Out<W>(W);

impl Out<Box<dyn Write>> {
    pub(crate) fn new() -> Self {
        Self(streams::output())
    }
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(closed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(closed)
    }
}

fn closed(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::BrokenPipe {
        io::Error::new(ErrorKind::BrokenPipe, StdoutClosed)
    } else {
        error
    }
}

/// Returns whether a command failed only because the reader closed standard output.
pub(crate) fn is_closed(error: &anyhow::Error) -> bool {
    let of_output =
        |error: &io::Error| error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<StdoutClosed>);
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(of_output)
}

/// Prints one result: a JSON object, or a line for each value.
pub(crate) fn print(record: &Record, json: bool) -> io::Result<()> {
    let mut out = Out::new();
    if json {
        writeln!(out, "{}", record.to_json()?)?;
    } else {
        writeln!(out, "{}", text(record))?;
    }
    out.flush()
}

/// Returns one result for people, a line for each value.
pub(crate) fn text(record: &Record) -> String {
    let width = record.0.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let line = |(name, value): &(&str, Value)| {
        format!("{:width$}  {}", format!("{name}:"), for_people(value), width = width + 1)
    };
    record.0.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints a list: a JSON object per line, or columns with headings. If it is empty, people read that there
/// are no `items`.
pub(crate) fn print_list(records: &[Record], items: &str, json: bool) -> io::Result<()> {
    let mut out = Out::new();
    if !json && records.is_empty() {
        writeln!(out, "There are no {items} to show.")?;
        return out.flush();
    }
    if json {
        for record in records {
            writeln!(out, "{}", record.to_json()?)?;
        }
        return out.flush();
    }
    let cells: Vec<Vec<String>> = records.iter().map(cells).collect();
    let head: Vec<String> =
        records.iter().take(1).flat_map(|record| &record.0).map(|(name, _)| (*name).to_owned()).collect();
    let width = |column: usize| {
        let column = std::iter::once(&head).chain(&cells).filter_map(move |row| row.get(column));
        column.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    for row in std::iter::once(&head).filter(|head| !head.is_empty()).chain(&cells) {
        let padded =
            row.iter().enumerate().map(|(column, cell)| format!("{cell:width$}", width = width(column)));
        writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    out.flush()
}

/// Returns a value as JSON on one line. Deceptive characters are escaped: terminals do not interpret them,
/// and programs read them unchanged.
pub(crate) fn json(value: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string(value)?;
    let escaped = replaced(&text, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing into a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    });
    Ok(escaped.into_owned())
}

/// Prints a text of several lines; deceptive characters are escaped.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut out = Out::new();
    out.write_all(lines(text).as_bytes())?;
    out.flush()
}

/// Escapes deceptive characters except line ends.
fn lines(text: &str) -> Cow<'_, str> {
    replaced(text, |out, c| if c == '\n' { out.push(c) } else { out.extend(c.escape_default()) })
}

/// Writes a message to standard error; a closed stream is ignored.
pub(crate) fn note(text: impl AsRef<str>) {
    let _ = writeln!(streams::errors(), "{}", lines(text.as_ref()));
}

fn cells(record: &Record) -> Vec<String> {
    record.0.iter().map(|(_, value)| for_people(value)).collect()
}

fn for_people(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => escape_deceptive(text).into_owned(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(for_people).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe whose other end is closed.
    struct Pipe;

    impl Write for Pipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn only_a_closed_standard_output_is_ignored() {
        for failure in [Out(Pipe).write(b"x").map(|_| ()), Out(Pipe).flush()] {
            let failure = anyhow::Error::from(failure.unwrap_err()).context("the export is incomplete");
            assert!(is_closed(&failure));
        }
        let of_a_store =
            anyhow::Error::from(io::Error::from(ErrorKind::BrokenPipe)).context("the store failed");
        assert!(!is_closed(&of_a_store));
        let full = anyhow::Error::from(closed(ErrorKind::StorageFull.into()));
        assert!(!is_closed(&full));
    }

    #[test]
    fn deceptive_characters_are_escaped_for_people_and_for_programs() {
        let name = "Owl\u{202e}\n\u{e0041}";
        let record = Record::new().with("name", name).with("uris", vec!["a\u{200b}"]);
        assert_eq!(cells(&record), [r"Owl\u{202e}\n\u{e0041}", r"a\u{200b}"]);
        let json = record.to_json().unwrap();
        assert_eq!(json, r#"{"name":"Owl\u202e\n\udb40\udc41","uris":["a\u200b"]}"#);
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["name"], name);
        assert_eq!(lines("x\u{2066}.zip\n  sessions\n"), "x\\u{2066}.zip\n  sessions\n");
    }

    #[test]
    fn a_record_keeps_its_order_and_marks_missing_values() {
        let record = Record::new()
            .with_text("user_id", "u")
            .with("locked_at", Value::Null)
            .with("scopes", vec!["a", "b"]);
        assert_eq!(record.to_json().unwrap(), r#"{"user_id":"u","locked_at":null,"scopes":["a","b"]}"#);
        assert_eq!(cells(&record), ["u", "-", "a b"]);
    }

    #[test]
    fn no_value_is_shown_as_nothing() {
        let record = Record::new().with("retired", Vec::<String>::new()).with("refusal", "");
        assert_eq!(record.to_json().unwrap(), r#"{"retired":[],"refusal":""}"#);
        assert_eq!(cells(&record), ["none", "-"]);
    }
}
