//! Unrecognised CSV tables: their columns, and the closest formats.

use crate::formats::{Format, TableHeader};
use crate::input::{Separator, split_fields};
use crate::seen::Text;
use domain::deceptive_text::without_deceptive;
use std::fmt::Write as _;

/// Maximum number of member or column names in a message, and of characters of each.
const NAMES_SHOWN: usize = 8;
const CHARS_SHOWN: usize = 40;
/// Number of close formats in a message.
const NEAREST_SHOWN: usize = 2;

/// Returns the tables of all formats.
fn known_tables() -> impl Iterator<Item = (Format, &'static TableHeader)> {
    Format::ALL.into_iter().flat_map(|format| format.info().tables.iter().map(move |table| (format, table)))
}

/// Header of a table.
pub(super) struct Table {
    columns: Vec<String>,
    separator: Separator,
}

impl Table {
    /// Finds a header in the first line. A line with values is not one, because a message must not repeat
    /// values.
    pub(super) fn from_header(text: &Text) -> Option<Self> {
        let mut lines = text.lines().iter().filter(|line| !line.trim().is_empty());
        let (first, second) = (lines.next()?, lines.next());
        let (separator, columns) = Separator::ALL
            .into_iter()
            .filter_map(|separator| Some((separator, split_fields(first, separator)?)))
            .max_by_key(|(separator, columns)| (columns.len(), *separator == Separator::Comma))?;
        // Prose has commas too, but a varying number per line.
        let is_row = |line: &String| {
            split_fields(line, separator)
                .is_none_or(|row| row.len() > 1 && row.len().abs_diff(columns.len()) <= 1)
        };
        let are_names =
            columns.iter().all(|column| !column.starts_with(|first: char| first.is_ascii_digit()))
                && columns.iter().filter(|column| !column.is_empty()).count() > 1;
        (are_names && second.is_none_or(is_row)).then_some(Self { columns, separator })
    }

    /// Lists the first columns and the closest formats.
    pub(super) fn described(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        format!("a table with {}; {}", list_names("column", &names), self.nearest())
    }

    fn nearest(&self) -> String {
        let mut near: Vec<_> =
            known_tables().map(|(format, table)| (self.shared(table), format, table)).collect();
        near.retain(|(shared, ..)| *shared > 0);
        near.sort_by_key(|(shared, ..)| std::cmp::Reverse(*shared));
        let nearest = near.iter().take(NEAREST_SHOWN);
        let formats: Vec<_> = nearest.map(|(_, format, table)| self.describe(*format, table)).collect();
        match formats.as_slice() {
            [] => {
                let mut names: Vec<_> = known_tables().map(|(format, _)| format.as_str()).collect();
                names.dedup();
                format!("formats with tables are {}", names.join(", "))
            }
            [one] => format!("the nearest format is {one}"),
            several => format!("the nearest formats are {}", several.join(" and ")),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.eq_ignore_ascii_case(name))
    }

    fn shared(&self, table: &TableHeader) -> usize {
        let is_known = |column: &&String| {
            table.needs.iter().chain(table.knows).any(|name| name.eq_ignore_ascii_case(column))
        };
        self.columns.iter().filter(is_known).count()
    }

    /// Returns a format's name with the columns that are missing.
    fn describe(&self, format: Format, table: &TableHeader) -> String {
        let name = format.as_str();
        let missing: Vec<&str> = table.needs.iter().copied().filter(|needed| !self.has(needed)).collect();
        if !missing.is_empty() {
            format!("{name} (missing: {})", missing.join(", "))
        } else if self.separator != table.separator {
            format!("{name} (which has {} between columns)", table.separator.described())
        } else {
            name.to_owned()
        }
    }
}

/// Lists a few names of `kind`, without control characters.
pub(super) fn list_names(kind: &str, names: &[&str]) -> String {
    let mut text = format!("the {kind}{} ", if names.len() == 1 { "" } else { "s" });
    for (index, name) in names.iter().take(NAMES_SHOWN).enumerate() {
        let clean: String = without_deceptive(name).chars().take(CHARS_SHOWN).collect();
        let _infallible = write!(text, "{}{clean}", if index == 0 { "" } else { ", " });
    }
    if names.len() > NAMES_SHOWN {
        text.push_str(", ...");
    }
    text
}
