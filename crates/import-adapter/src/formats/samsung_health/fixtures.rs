//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local, night_stages};
use chrono::{DateTime, TimeDelta, Utc};

const FORM: &str = "%Y-%m-%d %H:%M:%S.000";

const SLEEP: &str = "com.samsung.shealth.sleep,7006011,11\n\
    combined_id,sleep_latency,efficiency,total_rem_duration,total_light_duration,\
    com.samsung.health.sleep.start_time,com.samsung.health.sleep.update_time,\
    com.samsung.health.sleep.time_offset,com.samsung.health.sleep.pkg_name,com.samsung.health.sleep.end_time,\
    com.samsung.health.sleep.datauuid\n";
const COMBINED: &str = "com.samsung.shealth.sleep_combined,7006011,9\n\
    start_time,time_offset,pkg_name,sleep_duration,end_time,datauuid,update_time\n";
const STAGES: &str = "com.samsung.health.sleep_stage,7006011,7\n\
    create_sh_ver,start_time,sleep_id,update_time,stage,time_offset,pkg_name,end_time,datauuid\n";

fn sleep(number: usize, start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (local(start, FORM), local(end, FORM));
    format!(
        ",-1,0.0,,,{start},{end},UTC+0200,com.sec.android.app.shealth,{end},00000000-0000-4000-8000-{number:012},\n"
    )
}

fn stage(session: usize, code: usize, start: DateTime<Utc>, end: DateTime<Utc>) -> String {
    let (start, end) = (local(start, FORM), local(end, FORM));
    format!(
        ",{start},00000000-0000-4000-8000-{session:012},{end},{code},UTC+0200,com.sec.android.app.shealth,{end},x,\n"
    )
}

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "com.samsung.shealth.sleep,7006011,11\n\
        combined_id,com.samsung.health.sleep.start_time,com.samsung.health.sleep.time_offset,\
        com.samsung.health.sleep.end_time,com.samsung.health.sleep.datauuid\n\
        ,2026-10-01 21:30:00.000,UTC+0200,2026-10-02 04:30:00.000,11111111-0000-4000-8000-000000000001,\n",
        "com.samsung.health.sleep_stage,7006011,7\nstart_time,sleep_id,stage,time_offset,end_time,datauuid\n\
        2026-10-01 21:45:00.000,11111111-0000-4000-8000-000000000001,40002,UTC+0200,2026-10-02 01:45:00.000,x,\n",
        "com.samsung.shealth.sleep_combined,7006011,9\nstart_time,time_offset,end_time,datauuid\n\
        2026-10-02 21:00:00.000,UTC+0200,2026-10-03 04:15:00.000,33333333-0000-4000-8000-00000000000c,\n",
    ],
    layouts: &[
        Layout {
            records: RecordKind::Whole,
            before: SLEEP,
            record: sleep,
            unreadable: ",,,,,never,,UTC+0200,,never,x,\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
        Layout {
            records: RecordKind::Whole,
            before: COMBINED,
            record: |number, start, end| {
                let (start, end) = (local(start, FORM), local(end, FORM));
                format!("{start},UTC-0500,com.sec.android.app.shealth,60,{end},{number},{end},\n")
            },
            unreadable: "never,UTC-0500,com.sec.android.app.shealth,60,never,7,never,\n",
            blank: Some("\n"),
            between: "",
            after: "",
        },
    ],
    export: &[
        ExportFile {
            name: "com.samsung.shealth.sleep.20261005091212.csv",
            before: SLEEP,
            night: |number, start| sleep(number, start, start + TimeDelta::hours(8)),
            between: "",
            after: "",
        },
        ExportFile {
            name: "com.samsung.health.sleep_stage.20261005091212.csv",
            before: STAGES,
            night: |number, start| {
                let stages = night_stages(start);
                stages.map(|(index, start, end)| stage(number, 40_001 + index % 4, start, end)).collect()
            },
            between: "",
            after: "",
        },
    ],
};
