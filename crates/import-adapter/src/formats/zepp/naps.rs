//! The list of naps in a field of a row.

use super::{SOURCE, stamp};
use crate::json::{Bounded, LooseScalar};
use crate::session;
use crate::source::{Items, Notes};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;
use memchr::{memchr, memrchr};
use serde::Deserialize;

/// One nap.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Nap {
    start: LooseScalar,
    end: LooseScalar,
}

/// Quotes the list of a line as a CSV does. Zepp writes a backslash before each quote in it.
pub(super) fn quote_list(line: &mut Vec<u8>) {
    if let Some(quoted) = quoted(line) {
        *line = quoted;
    }
}

fn quoted(line: &[u8]) -> Option<Vec<u8>> {
    let (start, end) = (memchr(b'[', line)?, memrchr(b']', line)?.saturating_add(1));
    let (before, list, after) = (line.get(..start)?, line.get(start..end)?, line.get(end..)?);
    let mut quoted = before.strip_suffix(b"\"").unwrap_or(before).to_vec();
    quoted.push(b'"');
    let mut bytes = list.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'"') => {}
            b'"' => {
                let _doubled = bytes.next_if_eq(&b'"');
                quoted.extend_from_slice(b"\"\"");
            }
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted.extend_from_slice(after.strip_prefix(b"\"").unwrap_or(after));
    Some(quoted)
}

/// Adds the naps of a row.
pub(super) fn read(list: &str, zone: TimeZone, place: &str, items: &mut Items) {
    let Ok(Bounded(naps)) = serde_json::from_str::<Bounded<Nap>>(list) else {
        return items.reject(&format!("{place}, naps"), "naps is not a list of naps in JSON");
    };
    for (index, nap) in naps.iter().enumerate() {
        let place = format!("{place}, nap {}", index.saturating_add(1));
        items.finish_session(&place, Notes::default(), session(nap, zone));
    }
}

fn session(nap: &Nap, zone: TimeZone) -> Result<SleepRecord, String> {
    let start = stamp::parse("start", nap.start.printed().as_deref(), zone)?;
    let end = stamp::parse("end", nap.end.printed().as_deref(), zone)?;
    let time_in_bed = session::time_in_bed(start, end)?;
    let metrics = session::metrics(&SourceTotals::default(), &time_in_bed, &mut Notes::default());
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: Some(true),
    };
    session::without_stages(head, metrics)
}
