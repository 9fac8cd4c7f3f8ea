//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"status":0,"body":{"series":[{"startdate":1768086000,"state":1,"enddate":1768086600,"model":"Mat"},
    {"startdate":1768086600,"state":2,"enddate":1768087200,"model":"Mat"}]}}"#,
        r#"{"status":0,"body":{"series":[{"id":1,"timezone":"Europe/Paris","startdate":1768086000,"enddate":1768089600,
    "data":{"total_sleep_time":3000}}],"more":false}}"#,
        "von,bis,\"leicht (s)\",\"tief (s)\",\"rem (s)\",\"wach (s)\",Aufwachen,\"Dauer des Schlafs (s)\"\n\
         2026-01-10T23:00:00+01:00,2026-01-11T00:00:00+01:00,1800,900,600,300,1,120\n",
        "start,duration,value\n2026-01-10T23:00:00+01:00,\"[600,1800,300]\",\"[0,1,2]\"\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: HEADER,
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!("{start},{end},{},0,0,0,0,0,0,0,0,0,0,0,,\n", 60 + number % 2)
            },
            unreadable: "never,never,0,0,0,0,0,0,0,0,0,0,0,0,,\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
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
    export: &[
        ExportFile {
            name: "raw_tracker_sleep-state.csv",
            before: "start,duration,value\n",
            night: |_, start| {
                let states: Vec<_> = (0..480).map(|minute| (minute / 24 % 4).to_string()).collect();
                let minutes = ["60"; 480].join(",");
                format!("{},\"[{minutes}]\",\"[{}]\"\n", iso(start), states.join(","))
            },
            between: "",
            after: "",
        },
        ExportFile {
            name: "sleep.csv",
            before: HEADER,
            night: |_, start| {
                let end = iso(start + TimeDelta::hours(8));
                format!("{},{end},7200,7200,7200,7200,4,1440,0,0,0,58,51,77,{{}},\n", iso(start))
            },
            between: "",
            after: "",
        },
    ],
};

const HEADER: &str = "from,to,\"light (s)\",\"deep (s)\",\"rem (s)\",\"awake (s)\",\"wake up\",\"Duration to sleep (s)\",\
    \"Duration to wake up (s)\",\"Snoring (s)\",\"Snoring episodes\",\"Average heart rate\",\"Heart rate (min)\",\
    \"Heart rate (max)\",\"Night events\",Notes\n";
