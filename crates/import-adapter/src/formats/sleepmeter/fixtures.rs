//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local};
use chrono::TimeDelta;

/// Form of a time.
const FORM: &str = "%Y-%m-%d %H:%M+0000";

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &["wake,sleep,bedtime,holes,type,dreams,aid,hindrances,tags,quality,notes\n\
        \"2026-01-11 06:30+0100\",\"2026-01-10 22:50+0100\",\"2026-01-10 22:30+0100\",60-75,NIGHT_SLEEP,NONE,NONE,NONE,NONE,5,\"\"\n"],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "wake,sleep,bedtime,holes,type,dreams,aid,hindrances,tags,quality,notes\n",
        record: |_, start, end| {
            let (start, end) = (local(start, FORM), local(end, FORM));
            format!("\"{end}\",\"{start}\",\"{start}\",,NIGHT_SLEEP,NONE,NONE,NONE,NONE,5,\"\"\n")
        },
        unreadable: "\"never\",\"never\",\"never\",,NIGHT_SLEEP,NONE,NONE,NONE,NONE,5,\"\"\n",
        blank: Some("\n"),
        between: "",
        after: "",
    }],
    export: &[ExportFile {
        name: "sleep_history.csv",
        before: "wake,sleep,bedtime,holes,type,dreams,aid,hindrances,tags,quality,notes\n",
        night: |_, start| {
            let end = local(start + TimeDelta::hours(8), FORM);
            let (sleep, start) = (local(start + TimeDelta::minutes(20), FORM), local(start, FORM));
            let holes = (0..9).map(|hour| format!("{}-{}", hour * 50 + 10, hour * 50 + 20));
            let holes = holes.collect::<Vec<_>>().join("|");
            format!("\"{end}\",\"{sleep}\",\"{start}\",{holes},NIGHT_SLEEP,NONE,TV|MUSIC,NONE,NONE,5,\"\"\n")
        },
        between: "",
        after: "",
    }],
};
