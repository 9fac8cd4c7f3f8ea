//! Generated files of the format, for tests.

use crate::test_support::{Fixtures, Layout, RecordKind, iso, local};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\nx,UTC,2026-01-10 23:00:00,2026-01-11 07:00:00,true\n",
        r#"{"records":[{"id":"7b1f0d3e-0000-4000-8000-000000000001","cycle_id":8100123,"start":"2026-01-10T22:00:00.460Z",
    "end":"2026-01-11T06:00:00.460Z","timezone_offset":"+01:00","nap":false,"score_state":"SCORED","score":{
    "stage_summary":{"total_in_bed_time_milli":28800000,"total_awake_time_milli":1800000,"total_no_data_time_milli":0,
    "total_light_sleep_time_milli":15000000,"total_slow_wave_sleep_time_milli":6000000,
    "total_rem_sleep_time_milli":6000000}}}],"next_token":null}"#,
        r#"{"id":93801,"start":"2026-01-10T22:00:00.460Z","end":"2026-01-11T06:00:00.460Z","timezone_offset":"Z",
    "nap":true,"score_state":"PENDING_SCORE"}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Nap\n",
            record: |number, start, end| {
                let form = "%Y-%m-%d %H:%M:%S";
                format!("x,UTC,{},{},{}\n", local(start, form), local(end, form), number % 2 == 0)
            },
            unreadable: "x,UTC,never,never,false\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"records":["#,
            record: |number, start, end| {
                let (start, end, nap) = (iso(start), iso(end), number % 2 == 0);
                format!(
                    r#"{{"id":"7b1f0d3e-{number:04}","start":"{start}","end":"{end}","timezone_offset":"+01:00",
                    "nap":{nap},"score_state":"UNSCORABLE"}}"#
                )
            },
            unreadable: r#"{"id":"7b1f0d3e","start":"never","end":"never","nap":false,"score_state":"SCORED"}"#,
            blank: None,
            between: ",",
            after: r#"],"next_token":null}"#,
        },
    ],
    export: &[],
};
