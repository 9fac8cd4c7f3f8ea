//! Mi Fitness: two tables of the Xiaomi account's export, whose rows have sleep as JSON.
//!
//! The rules are in `README.md` next to this file.

mod clock;
mod daily_report;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod record;
mod recording;
mod stages;

use crate::formats::{Format, FormatInfo, OtherTable, TableHeader};
use crate::input::{Separator, has_columns};
use crate::recognised::RecognisedFile;
use crate::seen::{FilePreview, Text};
use daily_report::DailyReports;
use record::Reader;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "mi-fitness",
    file: "a Mi Fitness file",
    maker: "Mi Fitness (Xiaomi)",
    steps: &[
        "In the app, open your profile, look for the privacy settings of your Xiaomi account, and ask for your data.",
        "Wait until the file is ready, then download the ZIP file.",
        "Upload it. If it cannot be read, unpack it and upload the two files with hlth_center_fitness_data and hlth_center_aggregated_fitness_data in their names.",
    ],
    files: "`*_hlth_center_fitness_data.csv` and `*_hlth_center_aggregated_fitness_data.csv`, or the zip",
    result: "nights with stages, else with totals",
    recognise,
    tables: &[
        TableHeader { needs: &COLUMNS, knows: &["UpdateTime"], separator: Separator::Comma },
        TableHeader { needs: &REPORT_COLUMNS, knows: &["UpdateTime"], separator: Separator::Comma },
    ],
    others: &[OtherTable {
        columns: &["Sid", "Key", "Time", "Category", "Value"],
        advice: "this is Mi Fitness's table of workouts (sport_record), which contains no sleep; import \
            …_hlth_center_fitness_data.csv from the same export",
    }],
};

/// Source of these sessions.
const SOURCE: &str = "mi fitness";

/// Columns of the table of records.
const COLUMNS: [&str; 5] = ["Uid", "Sid", "Key", "Time", "Value"];
/// Columns of the table of reports.
const REPORT_COLUMNS: [&str; 6] = ["Uid", "Sid", "Tag", "Key", "Time", "Value"];

fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let header = seen.text().and_then(Text::header)?;
    if is_header_of_reports(&header) {
        return Some(RecognisedFile::table::<DailyReports>(Format::MiFitness));
    }
    is_header_of_records(&header)
        .then(|| RecognisedFile::new(Format::MiFitness, |bytes, context| Reader::new(bytes, context.zone)))
}

fn is_header_of_reports(header: &[String]) -> bool {
    has_columns(header, &REPORT_COLUMNS)
}

fn is_header_of_records(header: &[String]) -> bool {
    let is_other = ["Tag", "Category"].iter().any(|name| has_columns(header, &[name]));
    has_columns(header, &COLUMNS) && !is_other
}

#[cfg(test)]
mod tests;
