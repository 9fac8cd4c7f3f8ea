//! A column that a header has more than once is ambiguous, in every format with tables.

use crate::Format;
use crate::testing::{read, rejections, sessions};

/// A header with the column `COLUMN` at its end, and a record with an empty field below it.
const TABLES: [(Format, &str, u64, [&str; 2]); 5] = [
    (
        Format::Fitbit,
        "Sleep\nStart Time,End Time,Minutes Asleep,COLUMN\n2026-01-10 11:00PM,2026-01-11 7:00AM,400,\n",
        2,
        ["Minutes Asleep", "start time"],
    ),
    (
        Format::Whoop,
        "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap,COLUMN\n\
        x,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,true,\n",
        1,
        ["Nap", "sleep onset"],
    ),
    (
        Format::IntakeCsv,
        "created_at,upc,servings,COLUMN\n2026-01-10 22:00,036000291452,1,\n",
        1,
        ["upc", "Servings"],
    ),
    (Format::Hypnogram, ",Stage,COLUMN\n0,W,\n", 1, ["Stage", "STAGE"]),
    (
        Format::SleepAsAndroid,
        "Id,Tz,From,To,Sched,Hours,COLUMN\n7,UTC,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0,\n",
        1,
        ["To", "tz"],
    ),
];

#[test]
fn a_column_that_a_header_has_twice_is_named() {
    for (format, table, line, columns) in TABLES {
        for column in columns {
            let outcome = read(table.replace("COLUMN", column).as_bytes(), None, "UTC");
            let found = match outcome {
                Ok(items) if format == Format::SleepAsAndroid => rejections(&items).concat(),
                outcome => outcome.unwrap_err().to_string(),
            };
            let expected = if format == Format::SleepAsAndroid {
                format!("line {}: the header has the column {column} more than once", line + 1)
            } else {
                format!("damaged at line {line}, column 1: the header has the column {column} more than once")
            };
            assert!(found.eq_ignore_ascii_case(&expected), "{format:?}: {found}");
        }
        let items = read(table.replace("COLUMN", "Other").as_bytes(), None, "UTC").unwrap();
        assert_eq!(rejections(&items), Vec::<String>::new(), "{format:?}");
    }
}

#[test]
fn a_column_without_meaning_may_be_repeated() {
    let (_, table, ..) = TABLES[1];
    let table = table.replace("COLUMN\n", "Other,Other\n").replace("true,\n", "true,,\n");
    assert_eq!(sessions(&read(table.as_bytes(), None, "UTC").unwrap()).len(), 1);
}

#[test]
fn a_repeated_column_of_one_night_loses_no_later_night() {
    let record = |day: u8, column: &str| {
        format!(
            "Id,Tz,From,To,Sched,Hours,{column}\n{day},UTC,{day}. 01. 2026 22:00,{}. 01. 2026 6:00,,8.0,\n",
            day + 1
        )
    };
    let text = [record(10, "Geo"), record(11, "From"), record(12, "Geo")].concat();
    let items = read(text.as_bytes(), None, "UTC").unwrap();
    assert_eq!(rejections(&items), ["line 4: the header has the column From more than once"]);
    assert_eq!(sessions(&items).len(), 2);
}
