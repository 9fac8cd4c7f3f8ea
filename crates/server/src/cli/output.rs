//! Results on standard output: sentences for people, an object a line for programs.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::fmt::Display;
use std::io::{self, Write};

/// One result: names with values, in the order in which they are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record(Vec<(&'static str, Value)>);

impl Record {
    /// Begins a result.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// Adds a value as it is displayed.
    pub(crate) fn with_text(self, name: &'static str, value: impl Display) -> Self {
        self.with(name, format!("{value}"))
    }

    /// Returns the object on one line.
    pub(crate) fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
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

/// Prints one result: an object, or a line for each value.
pub(crate) fn print(record: &Record, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", record.to_json()?)?;
    } else {
        let width = record.0.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, value) in &record.0 {
            writeln!(out, "{:width$}  {}", format!("{name}:"), for_people(value), width = width + 1)?;
        }
    }
    out.flush()
}

/// Prints a list: an object a line, or columns under their names.
pub(crate) fn print_list(records: &[Record], json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
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

/// Prints a text as it is.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Says something to whoever watches, beside the results; a closed terminal is no reason to stop.
pub(crate) fn note(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
}

fn cells(record: &Record) -> Vec<String> {
    record.0.iter().map(|(_, value)| for_people(value)).collect()
}

fn for_people(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(for_people).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_its_order_and_says_what_is_missing() {
        let record = Record::new()
            .with_text("user_id", "u")
            .with("locked_at", Value::Null)
            .with("scopes", vec!["a", "b"]);
        assert_eq!(record.to_json().unwrap(), r#"{"user_id":"u","locked_at":null,"scopes":["a","b"]}"#);
        assert_eq!(cells(&record), ["u", "-", "a b"]);
    }
}
