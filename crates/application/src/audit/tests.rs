//! Tests of the audit's use cases.

mod activity;
mod daily_events;
mod every_kind;
mod flush_reads;
mod list;
mod prune_audit;
mod trail;

use crate::testing::{client_id, noon, user_id};
use chrono::{DateTime, TimeDelta, Utc};
use domain::data_kind::DataKind;
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};

fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    noon() - TimeDelta::minutes(minutes)
}

/// A read of this user's sleep, this many minutes before noon.
fn tally(user: u128, minutes: i64) -> ReadTally {
    let reader = Reader::Client(client_id(1));
    let key = TallyKey::at(minutes_ago(minutes), user_id(user), reader, ReadKind::Data(DataKind::Sleep));
    ReadTally { key, requests: 1, items: 3, range: RequestedRange::default() }
}
