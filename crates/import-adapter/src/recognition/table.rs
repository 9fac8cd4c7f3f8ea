//! Unrecognised CSV tables: their columns, and the closest formats.

use crate::format::Format;
use crate::seen::Text;
use crate::{fitbit, hypnogram, intake_csv, sleep_as_android, whoop};
use domain::deceptive_text::without_deceptive;
use std::fmt::Write as _;

/// Maximum number of member or column names in a message, and of characters of each.
const NAMES_SHOWN: usize = 8;
const CHARS_SHOWN: usize = 40;
/// Number of close formats in a message.
const NEAREST_SHOWN: usize = 2;

/// A table format.
struct TableFormat {
    format: Format,
    /// Required columns.
    needs: &'static [&'static str],
    /// Optional columns that also indicate it.
    knows: &'static [&'static str],
}

const TABLE_FORMATS: [TableFormat; 5] = [
    TableFormat { format: Format::Fitbit, needs: &fitbit::NEEDED_COLUMNS, knows: &fitbit::KNOWN_COLUMNS },
    TableFormat { format: Format::Whoop, needs: &whoop::COLUMNS, knows: &[] },
    TableFormat { format: Format::SleepAsAndroid, needs: &sleep_as_android::COLUMNS, knows: &[] },
    TableFormat {
        format: Format::Hypnogram,
        needs: &hypnogram::NEEDED_COLUMNS,
        knows: &hypnogram::KNOWN_COLUMNS,
    },
    TableFormat {
        format: Format::IntakeCsv,
        needs: &intake_csv::NEEDED_COLUMNS,
        knows: &intake_csv::PRODUCT_COLUMNS,
    },
];

/// Header of a table.
pub(super) struct Table {
    columns: Vec<String>,
    separator: char,
}

impl Table {
    /// Finds a header in the first line. A line with values is not one, because a message must not repeat
    /// values.
    pub(super) fn from_header(text: &Text) -> Option<Self> {
        let mut lines = text.lines().iter().filter(|line| !line.trim().is_empty());
        let (first, second) = (lines.next()?, lines.next());
        let (separator, columns) = [',', ';', '\t']
            .into_iter()
            .filter_map(|separator| Some((separator, fields(first, separator)?)))
            .max_by_key(|(separator, columns)| (columns.len(), *separator == ','))?;
        // Prose has commas too, but a varying number per line.
        let is_row = |line: &String| {
            fields(line, separator).is_none_or(|row| row.len() > 1 && row.len().abs_diff(columns.len()) <= 1)
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
        let mut near: Vec<_> = TABLE_FORMATS.iter().map(|format| (self.shared(format), format)).collect();
        near.retain(|(shared, _)| *shared > 0);
        near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        let formats: Vec<_> =
            near.iter().take(NEAREST_SHOWN).map(|(_, format)| self.describe(format)).collect();
        match formats.as_slice() {
            [] => {
                let names = TABLE_FORMATS.map(|known| known.format.as_str());
                format!("formats with tables are {}", names.join(", "))
            }
            [one] => format!("the nearest format is {one}"),
            several => format!("the nearest formats are {}", several.join(" and ")),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.eq_ignore_ascii_case(name))
    }

    fn shared(&self, format: &TableFormat) -> usize {
        let is_known = |column: &&String| {
            format.needs.iter().chain(format.knows).any(|name| name.eq_ignore_ascii_case(column))
        };
        self.columns.iter().filter(is_known).count()
    }

    /// Returns a format's name with the columns that are missing.
    fn describe(&self, format: &TableFormat) -> String {
        let name = format.format.as_str();
        let missing: Vec<&str> = format.needs.iter().copied().filter(|needed| !self.has(needed)).collect();
        if !missing.is_empty() {
            format!("{name} (missing: {})", missing.join(", "))
        } else if self.separator != ',' {
            format!("{name} (which has commas between columns)")
        } else {
            name.to_owned()
        }
    }
}

fn fields(line: &str, separator: char) -> Option<Vec<String>> {
    if separator == ',' {
        return crate::input::csv_fields(line);
    }
    Some(line.split(separator).map(|field| field.trim().trim_matches('"').to_owned()).collect())
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
