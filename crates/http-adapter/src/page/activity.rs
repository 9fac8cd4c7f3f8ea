//! `/activity`: who read my data?

use super::answer::{page, see_other};
use super::person::{self, Destination};
use super::view::{self, ActivityDay, AskedSpan, ReadLine, ReadWhat};
use super::{moment, query};
use crate::HttpState;
use crate::problem::{Fault, Problem};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::audit::{ListedRead, ReaderName, ReadsPage};
use chrono::DateTime;
use domain::data_endpoint::DataEndpoint;
use domain::id::{ClientId, PersonalTokenId, UserId};
use domain::read_tally::{AskedRange, ReadKind, ReadTally, Reader, TallyKey};
use domain::time::TimeZone;
use std::ops::Range;

/// How many sums a page shows.
const PAGE_SIZE: u32 = 50;

/// The years 1970 to 9999, in seconds since 1970: a store refuses to be asked for moments far from ours.
const MINUTES: Range<i64> = 0..253_402_300_800;

/// Shows who read what, the latest first.
pub(super) async fn show(state: Data<HttpState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::of_request(&request, &state).await? else {
        return Ok(see_other(&Destination::Activity.sign_in()));
    };
    let given = query::read(&request, &["before"])?;
    let before = given.get("before");
    let after = before
        .map(|text| parse_position(text, person.user_id).ok_or_else(|| Problem::new(Fault::InvalidForm)))
        .transpose()?;
    let ReadsPage { reads, next } = state.pages.list_reads.run(person.user_id, after, PAGE_SIZE).await?;
    let view = view::Activity {
        person: person::shown(&person),
        time_zone: person.home_timezone.name().to_owned(),
        days: days(reads, person.home_timezone),
        before: next.as_ref().map(position),
        is_latest: before.is_none(),
        kept_days: state.settings.reads_kept_days,
    };
    page(StatusCode::OK, &view)
}

/// Writes where a page goes on: minute, reader and kind, separated by dots.
pub(super) fn position(key: &TallyKey) -> String {
    let TallyKey { user_id: _, minute, reader, kind } = key;
    let (mark, id) = match reader {
        Reader::Client(id) => ("c", id.as_uuid()),
        Reader::PersonalToken(id) => ("t", id.as_uuid()),
    };
    format!("{}.{mark}.{id}.{}", minute.timestamp(), kind.as_str())
}

/// Reads what [`position`] wrote, in that one spelling; whose reads are listed is never taken from it.
pub(super) fn parse_position(text: &str, user_id: UserId) -> Option<TallyKey> {
    let mut parts = text.split('.');
    let seconds = parts.next()?.parse().ok().filter(|seconds| MINUTES.contains(seconds))?;
    let minute = DateTime::from_timestamp(seconds, 0)?;
    let (mark, id) = (parts.next()?, parts.next()?);
    let reader = match mark {
        "c" => Reader::Client(ClientId::parse(id).ok()?),
        "t" => Reader::PersonalToken(PersonalTokenId::parse(id).ok()?),
        _ => return None,
    };
    let kind = ReadKind::parse(parts.next()?)?;
    let key = TallyKey { user_id, minute, reader, kind };
    (position(&key) == text).then_some(key)
}

/// Puts the reads of a page under their days.
fn days(reads: Vec<ListedRead>, zone: TimeZone) -> Vec<ActivityDay> {
    let mut days: Vec<ActivityDay> = Vec::new();
    for read in reads {
        let day = moment::named_day(read.tally.key.minute, zone);
        let line = line(read, zone);
        match days.last_mut() {
            Some(last) if last.day.machine == day.machine => last.reads.push(line),
            _ => days.push(ActivityDay { day, reads: vec![line] }),
        }
    }
    days
}

fn line(read: ListedRead, zone: TimeZone) -> ReadLine {
    let ListedRead { tally: ReadTally { key, requests, items, range }, reader_name } = read;
    let what = match key.kind {
        ReadKind::Data(DataEndpoint::Profile) => ReadWhat::Profile,
        ReadKind::Data(DataEndpoint::Sleep) => ReadWhat::Nights,
        ReadKind::Data(DataEndpoint::Supplements) => ReadWhat::Supplements,
        ReadKind::Refresh => ReadWhat::Renewal,
    };
    let has_span = matches!(what, ReadWhat::Nights | ReadWhat::Supplements);
    let AskedRange { from, to } = range;
    let day = |at| moment::day(at, zone);
    ReadLine {
        at: moment::time_of_day(key.minute, zone),
        who: match reader_name {
            Some(ReaderName::Client(name)) => view::ReaderName::App(name.as_str().to_owned()),
            Some(ReaderName::PersonalToken(name)) => view::ReaderName::Token(name.as_str().to_owned()),
            None => view::ReaderName::Gone,
        },
        what,
        span: has_span.then(|| AskedSpan { from: from.map(day), to: to.map(day) }),
        requests,
        items,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn user() -> UserId {
        UserId::from_uuid(Uuid::nil())
    }

    #[test]
    fn a_position_that_no_page_of_ours_wrote_is_none() {
        let id = Uuid::from_u128(0xa);
        assert!(parse_position(&format!("1772971200.c.{id}.sleep"), user()).is_some());
        for text in [
            format!("-60.c.{id}.sleep"),
            format!("-8334601228800.c.{id}.sleep"),
            format!("253402300800.c.{id}.sleep"),
            format!("8210266876799.c.{id}.sleep"),
            format!("+1772971200.c.{id}.sleep"),
            format!("01772971200.c.{id}.sleep"),
            format!("1772971200.c.{}.sleep", id.to_string().to_uppercase()),
            format!("1772971200.c.{id}.sleep."),
            format!("1772971200.c.{id}.sleep.x"),
        ] {
            assert_eq!(parse_position(&text, user()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_position_is_read_as_it_was_written(minute in 0_i64..100_000_000, id: u128, token: bool, kind in 0_usize..4) {
            let id = Uuid::from_u128(id);
            let reader = if token {
                Reader::PersonalToken(PersonalTokenId::from_uuid(id))
            } else {
                Reader::Client(ClientId::from_uuid(id))
            };
            let minute = DateTime::from_timestamp(minute * 60, 0).unwrap();
            let key = TallyKey { user_id: user(), minute, reader, kind: ReadKind::ALL[kind] };
            prop_assert_eq!(parse_position(&position(&key), user()), Some(key));
        }

        #[test]
        fn no_text_makes_the_reader_of_positions_panic(text in ".*") {
            let _ = parse_position(&text, user());
        }
    }
}
