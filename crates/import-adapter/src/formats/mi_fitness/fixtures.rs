//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, night_stages};
use chrono::{DateTime, Utc};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Uid,Sid,Key,Time,Value,UpdateTime\n\
        1,900100,heart_rate,1768089600,\"{\"\"bpm\"\":61}\",1768089700\n\
        1,900100,sleep,1768114800,\"{\"\"bedtime\"\":1768086000,\"\"wake_up_time\"\":1768114800,\"\"timezone\"\":4,\
        \"\"items\"\":[{\"\"start_time\"\":1768086000,\"\"end_time\"\":1768114800,\"\"state\"\":3}]}\",1768114900\n",
        "Uid,Sid,Tag,Key,Time,Value,UpdateTime\n\
        1,900100,daily_report,sleep,1768089600,\"{\"\"total_duration\"\":470,\"\"segment_details\"\":\
        [{\"\"bedtime\"\":1768086000,\"\"wake_up_time\"\":1768114800,\"\"timezone\"\":4,\"\"duration\"\":470}]}\",1\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "Uid,Sid,Key,Time,Value,UpdateTime\n",
            record: |number, start, end| {
                let (start, end) = (start.timestamp(), end.timestamp());
                format!(
                    "1,900100,sleep,{end},\"{{\"\"bedtime\"\":{start},\"\"wake_up_time\"\":{end},\"\"items\"\":\
                    [{{\"\"start_time\"\":{start},\"\"end_time\"\":{end},\"\"state\"\":3}}]}}\",{number}\n"
                )
            },
            unreadable: "1,900100,sleep,0,\"{\"\"bedtime\"\":\"\"never\"\"}\",0\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: "Uid,Sid,Tag,Key,Time,Value,UpdateTime\n",
            record: |number, start, end| {
                let (start, end) = (start.timestamp(), end.timestamp());
                format!(
                    "1,900100,daily_report,sleep,0,\"{{\"\"segment_details\"\":[{{\"\"bedtime\"\":{start},\
                    \"\"wake_up_time\"\":{end}}}]}}\",{number}\n"
                )
            },
            unreadable: "1,900100,daily_report,sleep,0,never,0\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
    ],
    export: &[ExportFile {
        name: "hlth_center_fitness_data.csv",
        before: "Uid,Sid,Key,Time,Value,UpdateTime\n",
        night: |number, start| {
            let item = |(number, start, end): (usize, DateTime<Utc>, DateTime<Utc>)| {
                let (start, end, state) = (start.timestamp(), end.timestamp(), 2 + number % 4);
                format!("{{\"\"start_time\"\":{start},\"\"end_time\"\":{end},\"\"state\"\":{state}}}")
            };
            let items = night_stages(start).map(item).collect::<Vec<_>>().join(",");
            let (start, end) = (start.timestamp(), start.timestamp() + 28_800);
            format!(
                "1,900100,sleep,{end},\"{{\"\"bedtime\"\":{start},\"\"wake_up_time\"\":{end},\"\"items\"\":\
                [{items}]}}\",{number}\n"
            )
        },
        between: "",
        after: "",
    }],
};
