//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages, one_of};
use chrono::{DateTime, TimeDelta, Utc};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Id,Tz,From,To,Sched,Hours,\"Event\"\n7,UTC,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0,REM_START-1768100400000\n",
        r#"{"sleeps":[{"fromTime":1768082400123,"toTime":1768111200000,"timezone":"GMT+02:00","lengthMinutes":480,"rating":0,
    "labels":[{"timestamp":1768082400123,"label":"LIGHT_START"},{"timestamp":1768111200000,"label":"LIGHT_END"}]}]}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "Id,Tz,From,To,Sched,Hours\n",
            record: |number, start, end| {
                let form = "%d. %m. %Y %H:%M";
                format!("{number},UTC,{},{},,\n", local(start, form), local(end, form))
            },
            unreadable: "7,UTC,never,never,,\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"sleeps":["#,
            record: |_, start, end| {
                let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
                format!(r#"{{"fromTime":{start},"toTime":{end},"timezone":"GMT+02:00"}}"#)
            },
            unreadable: r#"{"fromTime":"never","toTime":"never"}"#,
            blank: None,
            between: ",",
            after: "]}",
        },
    ],
    export: &[ExportFile {
        name: "sleep-export.csv",
        before: "",
        night: |number, start| {
            let form = "%d. %m. %Y %H:%M";
            let event = |(number, start, end): (usize, DateTime<Utc>, DateTime<Utc>)| {
                let stage = one_of(["LIGHT", "DEEP", "REM", "AWAKE"], number);
                let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
                format!("{stage}_START-{start},{stage}_END-{end}")
            };
            let events = night_stages(start).map(event).collect::<Vec<_>>().join(",");
            let columns = ["Event"; 40].join(",");
            let end = start + TimeDelta::hours(8);
            let (start, end) = (local(start, form), local(end, form));
            format!("Id,Tz,From,To,Sched,Hours,{columns}\n{number},UTC,{start},{end},,8.0,{events}\n")
        },
        between: "",
        after: "",
    }],
};
