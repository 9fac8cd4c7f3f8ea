//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, night_stages};
use chrono::{DateTime, Utc};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"status":0,"body":{"series":[{"startdate":1768086000,"state":1,"enddate":1768086600,"model":"Mat"},
    {"startdate":1768086600,"state":2,"enddate":1768087200,"model":"Mat"}]}}"#,
        r#"{"status":0,"body":{"series":[{"id":1,"timezone":"Europe/Paris","startdate":1768086000,"enddate":1768089600,
    "data":{"total_sleep_time":3000}}],"more":false}}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: r#"{"status":0,"body":{"series":["#,
            record: |number, start, end| {
                let (start, end) = (start.timestamp(), end.timestamp());
                format!(
                    r#"{{"id":{number},"startdate":{start},"enddate":{end},"data":{{"total_sleep_time":60}}}}"#
                )
            },
            unreadable: r#"{"id":7,"startdate":"never","enddate":"never","data":{}}"#,
            blank: None,
            between: ",",
            after: "]}}",
        },
        Layout {
            records: RecordKind::Sample,
            before: r#"{"status":0,"body":{"series":["#,
            record: |_, start, end| {
                let (start, end) = (start.timestamp(), end.timestamp());
                format!(r#"{{"startdate":{start},"enddate":{end},"state":1,"model":"Mat"}}"#)
            },
            unreadable: r#"{"startdate":"never","enddate":"never","state":1,"model":"Mat"}"#,
            blank: None,
            between: ",",
            after: "]}}",
        },
    ],
    export: &[ExportFile {
        name: "series.json",
        before: r#"{"status":0,"body":{"series":["#,
        night: |_, start| {
            let stretch = |(number, start, end): (usize, DateTime<Utc>, DateTime<Utc>)| {
                let (start, end, state) = (start.timestamp(), end.timestamp(), number % 4);
                format!(r#"{{"startdate":{start},"enddate":{end},"state":{state},"model":"Mat"}}"#)
            };
            night_stages(start).map(stretch).collect::<Vec<_>>().join(",")
        },
        between: ",",
        after: "]}}",
    }],
};
