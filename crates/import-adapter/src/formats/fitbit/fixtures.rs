//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages, one_of};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"[{"logId":1,"mainSleep":true,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T00:00:00.000",
    "levels":{"data":[{"dateTime":"2026-01-10T23:00:00.000","level":"light","seconds":1200}],"shortData":[]}}]"#,
        r#"{"sleep":[{"logId":2,"startTime":"2026-01-10T23:00:00.000","duration":120000,
    "minuteData":[{"dateTime":"23:00:00","value":"1"}]}],"summary":{}}"#,
        r#"{"startTime":"2026-01-10T23:00:00","duration":60000,"levels":{}}"#,
        "Sleep\nStart Time,End Time,Minutes Asleep\n\"2026-01-10 11:00PM\",\"2026-01-11 7:00AM\",\"400\"\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "[",
            record: |number, start, end| {
                let form = "%Y-%m-%dT%H:%M:%S.000";
                let (start, end) = (local(start, form), local(end, form));
                format!(r#"{{"logId":{number},"startTime":"{start}","endTime":"{end}"}}"#)
            },
            unreadable: r#"{"logId":"x","startTime":"never","endTime":"never"}"#,
            blank: None,
            between: ",",
            after: "]",
        },
        Layout {
            records: RecordKind::Whole,
            before: "[",
            record: |number, start, end| {
                let (millis, seconds) = ((end - start).num_milliseconds(), (end - start).num_seconds());
                let start = local(start, "%Y-%m-%dT%H:%M:%S.000");
                format!(
                    r#"{{"logId":{number},"startTime":"{start}","duration":{millis},"levels":{{"data":[
                    {{"dateTime":"{start}","level":"asleep","seconds":{seconds}}}]}}}}"#
                )
            },
            unreadable: r#"{"logId":"x","startTime":"2026-01-10T23:00:00.000","levels":7}"#,
            blank: None,
            between: ",",
            after: "]",
        },
        Layout {
            records: RecordKind::Whole,
            before: "Sleep\nStart Time,End Time\n",
            record: |_, start, end| {
                let form = "%Y-%m-%d %H:%M";
                format!("{},{}\n", local(start, form), local(end, form))
            },
            unreadable: "never,never\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
    ],
    export: &[ExportFile {
        name: "sleep.json",
        before: "[",
        night: |number, start| {
            let form = "%Y-%m-%dT%H:%M:%S.000";
            let stage = |(number, start, _): (usize, _, _)| {
                let level = one_of(["light", "deep", "rem", "wake"], number);
                format!(r#"{{"dateTime":"{}","level":"{level}","seconds":1440}}"#, local(start, form))
            };
            let stages = night_stages(start).map(stage).collect::<Vec<_>>().join(",");
            let (start, end) = (local(start, form), local(start + TimeDelta::hours(8), form));
            format!(
                r#"{{"logId":{number},"startTime":"{start}","endTime":"{end}","levels":{{"data":[{stages}]}}}}"#
            )
        },
        between: ",",
        after: "]",
    }],
};
