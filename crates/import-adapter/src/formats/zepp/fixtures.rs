//! Generated files of the format, for tests.

use crate::test_support::{ExportFile, Fixtures, Layout, RecordKind, local};
use chrono::TimeDelta;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &[
        "\u{feff}date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps\n\
        2026-01-11,82,251,9,2026-01-10 22:11:00+0000,2026-01-11 05:18:00+0000,85,\n",
        "date,lastSyncTime,deepSleepTime,shallowSleepTime,wakeTime,start,stop\n\
        2019-01-11,1547190000,82,251,9,1547158260,1547183880\n",
    ],
    layouts: &[Layout {
        records: RecordKind::Whole,
        before: "date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps\n",
        record: |_, start, end| {
            let form = "%Y-%m-%d %H:%M:%S+0000";
            let (date, start, end) = (local(end, "%Y-%m-%d"), local(start, form), local(end, form));
            format!("{date},1,0,0,{start},{end},0,\n")
        },
        unreadable: "2026-01-11,1,0,0,never,never,0,\n",
        blank: Some("\n"),
        between: "",
        after: "",
    }],
    export: &[ExportFile {
        name: "SLEEP.csv",
        before: "date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps\n",
        night: |_, start| {
            let (form, end) = ("%Y-%m-%d %H:%M:%S+0000", start + TimeDelta::hours(8));
            let (date, start, end) = (local(end, "%Y-%m-%d"), local(start, form), local(end, form));
            format!("{date},90,270,20,{start},{end},100,\n")
        },
        between: "",
        after: "",
    }],
};
