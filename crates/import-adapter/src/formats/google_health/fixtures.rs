//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso, local, night_stages, one_of};
use chrono::{DateTime, TimeDelta, Utc};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "sleep_id,sleep_type,minutes_in_sleep_period,minutes_after_wake_up,minutes_to_fall_asleep,minutes_asleep,\
        minutes_awake,minutes_longest_awakening,minutes_to_persistent_sleep,start_utc_offset,sleep_start,\
        end_utc_offset,sleep_end,data_source,algorithm_version,sleep_created,sleep_last_updated\n\
        4711000000000000101,STAGES,480,0,0,441,39,21,9,+02:00,2026-10-24T21:00:00Z,+01:00,2026-10-25T05:00:00Z,\
        DERIVED,sleep_session_v2,2026-10-25T05:20:11Z,2026-10-25T05:31:40Z\n",
        "sleep_id,sleep_stage_id,sleep_stage_type,start_utc_offset,sleep_stage_start,end_utc_offset,\
        sleep_stage_end,data_source,sleep_stage_created,sleep_stage_last_updated\n\
        4711000000000000101,4712000000000000003,DEEP,+02:00,2026-10-24T21:00:30Z,+02:00,2026-10-24T22:00:30Z,\
        DERIVED,2026-10-25T05:20:11Z,2026-10-25T05:31:40Z\n",
        r#"{"dataPoints":[{"name":"users/1/dataTypes/sleep/dataPoints/2000000000000000013","dataSource":{"recordingMethod":
        "DERIVED","device":{"displayName":"Made Up"},"platform":"FITBIT"},"sleep":{"interval":{"startTime":
        "2026-10-25T13:10:30Z","startUtcOffset":"3600s","endTime":"2026-10-25T14:11:30Z","endUtcOffset":"3600s"},
        "type":"CLASSIC","stages":[{"startTime":"2026-10-25T13:10:30Z","endTime":"2026-10-25T14:11:30Z","type":"ASLEEP"}],
        "metadata":{"nap":true},"summary":{"minutesAsleep":"61","minutesAwake":"0"}}}],"nextPageToken":""}"#,
        r#"[{"dataPointName":"users/me/dataTypes/sleep/dataPoints/7","sleep":{"interval":{"startTime":
        "2026-10-25T13:10:30Z","endTime":"2026-10-25T14:11:30Z"}}}]"#,
        r#"{"name":"users/me/dataTypes/sleep/dataPoints/8","sleep":{"interval":{"startTime":
        "2026-10-25T13:10:30Z","endTime":"2026-10-25T14:11:30Z"}}}"#,
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: "sleep_id,sleep_type,minutes_asleep,start_utc_offset,sleep_start,end_utc_offset,sleep_end,\
                data_source,sleep_created,sleep_last_updated\n",
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!("{number},STAGES,0,+00:00,{start},+00:00,{end},DERIVED,{end},{end}\n")
            },
            unreadable: "7,CLASSIC,0,+00:00,never,+00:00,never,MANUAL,never,never\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: "sleep_id,sleep_type,start_utc_offset,sleep_start,end_utc_offset,sleep_end\n",
            record: |number, start, end| {
                let form = "%Y-%m-%d %H:%M:%S+0000";
                format!("{number},CLASSIC,+02:00,{},+02:00,{}\n", local(start, form), local(end, form))
            },
            unreadable: "7,CLASSIC,+02:00,never,+02:00,never\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: r#"{"dataPoints":["#,
            record: |number, start, end| {
                let (start, end) = (iso(start), iso(end));
                format!(
                    r#"{{"name":"users/me/dataTypes/sleep/dataPoints/{number}","sleep":{{"interval":{{"startTime":"{start}",
                    "startUtcOffset":"0s","endTime":"{end}","endUtcOffset":"0s"}},"stages":[{{"startTime":"{start}",
                    "endTime":"{end}","type":"LIGHT"}}]}}}}"#
                )
            },
            unreadable: r#"{"name":"x","sleep":{"interval":{"startTime":"never","endTime":"never"}}}"#,
            blank: None,
            between: ",",
            after: "]}",
        },
    ],
    export: &[
        ExportFile {
            name: "UserSleeps.csv",
            before: "sleep_id,sleep_type,minutes_asleep,start_utc_offset,sleep_start,end_utc_offset,sleep_end,\
                data_source,sleep_created,sleep_last_updated\n",
            night: |number, start| {
                let (start, end) = (iso(start), iso(start + TimeDelta::hours(8)));
                format!("{number},STAGES,360,+01:00,{start},+01:00,{end},DERIVED,{end},{end}\n")
            },
            between: "",
            after: "",
        },
        ExportFile {
            name: "UserSleepStages.csv",
            before: "sleep_id,sleep_stage_id,sleep_stage_type,start_utc_offset,sleep_stage_start,end_utc_offset,\
                sleep_stage_end,data_source,sleep_stage_created,sleep_stage_last_updated\n",
            night: |id, start| {
                let row = |(number, start, end): (usize, DateTime<Utc>, DateTime<Utc>)| {
                    let (stage, stage_id) =
                        (one_of(["LIGHT", "DEEP", "REM", "AWAKE"], number), id * 20 + number);
                    let (start, end) = (iso(start), iso(end));
                    format!("{id},{stage_id},{stage},+01:00,{start},+01:00,{end},DERIVED,{end},{end}\n")
                };
                night_stages(start).map(row).collect()
            },
            between: "",
            after: "",
        },
    ],
};
