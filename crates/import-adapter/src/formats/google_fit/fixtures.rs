//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, iso, night_stages};
use chrono::{DateTime, TimeDelta, Utc};

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        r#"{"fitnessActivity":"sleep","startTime":"2026-01-10T22:00:00Z","endTime":"2026-01-11T05:00:00Z","duration":"25200s",
    "segment":[{"fitnessActivity":"sleep","startTime":"2026-01-10T22:00:00Z","endTime":"2026-01-11T01:00:00Z"},
    {"fitnessActivity":"sleep.awake","startTime":"2026-01-11T01:00:00Z","endTime":"2026-01-11T01:20:00Z"},
    {"fitnessActivity":"sleep","startTime":"2026-01-11T01:20:00Z","endTime":"2026-01-11T05:00:00Z"}]}"#,
        r#"{"fitnessActivity":"sleep","startTime":"2026-01-10T12:00:00Z","endTime":"2026-01-10T12:15:00Z","duration":"900s",
    "aggregate":[{"metricName":"com.google.calories.expended","floatValue":16.5}]}"#,
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "",
        record: |_, start, end| {
            let (start, end) = (iso(start), iso(end));
            format!(
                r#"{{"fitnessActivity":"sleep","startTime":"{start}","endTime":"{end}","duration":"60s"}}"#
            )
        },
        unreadable: r#"{"fitnessActivity":"sleep","startTime":"never","endTime":"never"}"#,
        blank: None,
        between: "\n",
        after: "",
    }],
    export: &[ExportFile {
        name: "2026-01-10T23_00_00+01_00_SLEEP.json",
        before: "",
        night: |_, start| {
            let segment = |(number, start, end): (usize, DateTime<Utc>, DateTime<Utc>)| {
                let activity = if number.is_multiple_of(2) { "sleep" } else { "sleep.awake" };
                let (start, end) = (iso(start), iso(end));
                format!(r#"{{"fitnessActivity":"{activity}","startTime":"{start}","endTime":"{end}"}}"#)
            };
            let segments = night_stages(start).map(segment).collect::<Vec<_>>().join(",");
            let (start, end) = (iso(start), iso(start + TimeDelta::hours(8)));
            format!(
                r#"{{"fitnessActivity":"sleep","startTime":"{start}","endTime":"{end}","duration":"28800s","segment":[{segments}]}}"#
            )
        },
        between: "\n",
        after: "",
    }],
};
