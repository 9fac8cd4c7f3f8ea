//! Formats in which a record is a session, a label or an intake.

use super::{Layout, iso, local, time_frame};
use crate::Format;
use chrono::{DateTime, Utc};

/// Id of the supplement of each intake.
pub const SUPPLEMENT: &str = "1a2b3c4d-0000-4000-8000-000000000001";

/// Layouts of these formats.
pub const SESSIONS: [Layout; 15] = [
    Layout {
        format: Format::Fitbit,
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
        format: Format::Fitbit,
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
        format: Format::Fitbit,
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
    Layout {
        format: Format::Oura,
        before: r#"{"data":["#,
        record: |number, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(r#"{{"id":"{number}","bedtime_start":"{start}","bedtime_end":"{end}"}}"#)
        },
        unreadable: r#"{"id":"x","bedtime_start":"never","bedtime_end":"never"}"#,
        blank: None,
        between: ",",
        after: "]}",
    },
    Layout {
        format: Format::Whoop,
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
        format: Format::Garmin,
        before: "[",
        record: |_, start, end| {
            let (start, end) = (start.timestamp_millis(), end.timestamp_millis());
            format!(
                r#"{{"dailySleepDTO":{{"sleepStartTimestampGMT":{start},"sleepEndTimestampGMT":{end},
                "sleepTimeSeconds":60}}}}"#
            )
        },
        unreadable: r#"{"dailySleepDTO":{"sleepStartTimestampGMT":"never","sleepEndTimestampGMT":"never","sleepTimeSeconds":60}}"#,
        blank: None,
        between: ",",
        after: "]",
    },
    Layout {
        format: Format::Withings,
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
        format: Format::SleepAsAndroid,
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
        format: Format::OpenMhealth,
        before: "[",
        record: |_, start, end| format!(r#"{{"is_main_sleep":true,{}}}"#, time_frame(start, end)),
        unreadable: r#"{"is_main_sleep":true,"effective_time_frame":{"time_interval":7}}"#,
        blank: None,
        between: ",",
        after: "]",
    },
    Layout {
        format: Format::Ndjson,
        before: "",
        record: |number, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(
                r#"{{"type":"sleep_session","external_id":"{number}","time_in_bed_start":"{start}","time_in_bed_end":"{end}"}}"#
            )
        },
        unreadable: r#"{"type":"sleep_session","time_in_bed_start":"never","time_in_bed_end":"never"}"#,
        blank: Some(""),
        between: "\n",
        after: "\n",
    },
    Layout {
        format: Format::Ndjson,
        before: "",
        record: |_, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(r#"{{"type":"sleep_session","time_in_bed_start":"{start}","time_in_bed_end":"{end}"}}"#)
        },
        unreadable: r#"{"type":"sleep_session","time_in_bed_start":7}"#,
        blank: Some(""),
        between: "\n",
        after: "\n",
    },
    Layout {
        format: Format::Ndjson,
        before: "",
        record: |number, start, end| {
            let (start, servings) = (iso(start), servings(number, start, end));
            format!(
                r#"{{"type":"supplement_log","external_id":"{start}","created_at":"{start}","supplement_id":"{SUPPLEMENT}","servings":{servings}}}"#
            )
        },
        unreadable: r#"{"type":"supplement_log","created_at":"never"}"#,
        blank: Some(""),
        between: "\n",
        after: "\n",
    },
    Layout {
        format: Format::Ndjson,
        before: "",
        record: |number, start, end| {
            let name = if start < end { "Magnesium" } else { "" };
            format!(
                r#"{{"type":"supplement","external_source":"made-up","external_id":"{number}","name":"{name}"}}"#
            )
        },
        unreadable: r#"{"type":"supplement","name":7}"#,
        blank: Some(""),
        between: "\n",
        after: "\n",
    },
    Layout {
        format: Format::IntakeCsv,
        before: "created_at,supplement_id,servings\n",
        record: |number, start, end| {
            format!("{},{SUPPLEMENT},{}\n", iso(start), servings(number, start, end))
        },
        unreadable: "never,x,1\n",
        blank: Some("\n"),
        between: "",
        after: "",
    },
    Layout {
        format: Format::Dsld,
        before: "[",
        record: |number, start, end| {
            let name = if start < end { "Magnesium" } else { "" };
            format!(r#"{{"id":{number},"fullName":"{name}","ingredientRows":[]}}"#)
        },
        unreadable: r#"{"id":"x","fullName":"Magnesium","ingredientRows":7}"#,
        blank: None,
        between: ",",
        after: "]",
    },
];

/// Returns a number of servings; 0, which is invalid, for an invalid length.
fn servings(number: usize, start: DateTime<Utc>, end: DateTime<Utc>) -> usize {
    if start < end { 1 + number % 2 } else { 0 }
}
