//! `/activity`: reads, changes, imports and exports of a person's data.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::{PageState, moment, query};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::audit::AuditPosition;
use application::audit::{
    ActivityEntry, ActivityPage, ActivityPosition, ListedEvent, ListedRead, ReaderName,
};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::data_kind::DataKind;
use domain::id::{AuditEventId, ClientId, PersonalTokenId, UserId};
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use domain::time::TimeZone;
use http_adapter::problem::{Fault, Problem};
use std::ops::Range;
use view::{ActivityDay, ActivityLine, ActorName, Earlier, EventLine, ReadLine, RequestedSpan};

/// Number of entries on a page.
const PAGE_SIZE: u32 = 50;

/// The years 1970 to 9999 in Unix seconds; the stores reject times far outside this range.
const SECONDS: Range<i64> = 0..253_402_300_800;

/// Shows the activity, latest first.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Activity.sign_in()));
    };
    let given = query::read(&request, &["before", "events"])?;
    let (read, event) = (given.get("before"), given.get("events"));
    let after = ActivityPosition {
        read: position_of(read, |text| parse_position(text, person.user_id))?,
        event: position_of(event, parse_event_position)?,
    };
    let ActivityPage { entries, next } = state.list_activity.run(person.user_id, after, PAGE_SIZE).await?;
    let view = view::Activity {
        person: person::to_view(&person),
        has_developer_page: state.developer.is_some(),
        time_zone: person.home_timezone.name().to_owned(),
        days: days(entries, person.home_timezone),
        earlier: next.map(|ActivityPosition { read, event }| Earlier {
            read: read.as_ref().map(position),
            event: event.map(event_position),
        }),
        is_latest: after == ActivityPosition::default(),
        kept_days: state.http.settings.reads_kept_days,
    };
    page(StatusCode::OK, &view)
}

/// Parses a position of the query.
fn position_of<T>(text: Option<&str>, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Problem> {
    text.map(|text| parse(text).ok_or_else(|| Problem::new(Fault::InvalidForm))).transpose()
}

/// Formats the event after which a page resumes: microseconds and id, separated by a dot.
pub(crate) fn event_position((at, id): AuditPosition) -> String {
    format!("{}.{id}", at.timestamp_micros())
}

/// Parses the output of [`event_position`] and rejects any other spelling.
pub(crate) fn parse_event_position(text: &str) -> Option<AuditPosition> {
    let (micros, id) = text.split_once('.')?;
    let at = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
    let position = (at, AuditEventId::parse(id).ok()?);
    let is_ours = SECONDS.contains(&at.timestamp()) && event_position(position) == text;
    is_ours.then_some(position)
}

/// Formats the position after which a page resumes: minute, reader and kind, separated by dots.
pub(crate) fn position(key: &TallyKey) -> String {
    let TallyKey { user_id: _, minute, reader, kind } = key;
    let (mark, id) = match reader {
        Reader::Client(id) => ("c", id.as_uuid()),
        Reader::PersonalToken(id) => ("t", id.as_uuid()),
    };
    format!("{}.{mark}.{id}.{}", minute.timestamp(), kind.as_str())
}

/// Parses the output of [`position`] and rejects any other spelling. The user id never comes from the text.
pub(crate) fn parse_position(text: &str, user_id: UserId) -> Option<TallyKey> {
    let mut parts = text.split('.');
    let seconds = parts.next()?.parse().ok().filter(|seconds| SECONDS.contains(seconds))?;
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

/// Groups the entries of a page by day.
fn days(entries: Vec<ActivityEntry>, zone: TimeZone) -> Vec<ActivityDay> {
    let mut days: Vec<ActivityDay> = Vec::new();
    for entry in entries {
        let Some((at, line)) = line(entry, zone) else { continue };
        let day = moment::weekday_and_date(moment::local(at, zone).date());
        match days.last_mut() {
            Some(last) if last.day.machine == day.machine => last.lines.push(line),
            _ => days.push(ActivityDay { day, lines: vec![line] }),
        }
    }
    days
}

fn line(entry: ActivityEntry, zone: TimeZone) -> Option<(DateTime<Utc>, ActivityLine)> {
    match entry {
        ActivityEntry::Read(read) => Some((read.tally.key.minute, ActivityLine::Read(read_line(read, zone)))),
        ActivityEntry::Event(ListedEvent { event, name }) => {
            let line = EventLine {
                at: moment::time_of_day(event.at, zone),
                who: actor(&event, name),
                what: words(event.kind)?,
                is_daily: event.is_daily(),
                place: place(&event),
            };
            Some((event.at, ActivityLine::Event(line)))
        }
    }
}

/// Returns the browser and network from which something was done on a page: `Firefox on Android, 192.0.2.7`.
fn place(event: &AuditEvent) -> Option<String> {
    let address = event.address.filter(|_| event.actor == AuditActor::Person)?;
    Some(event.device.map_or_else(|| address.to_string(), |device| format!("{device}, {address}")))
}

fn actor(event: &AuditEvent, name: Option<ReaderName>) -> ActorName {
    let by_token = event.kind == AuditKind::DataExported && event.subject.is_some();
    // It may have been someone else.
    if is_failed_sign_in(event.kind) {
        return ActorName::Someone;
    }
    match event.actor {
        AuditActor::Person if !by_token => ActorName::You,
        AuditActor::Person | AuditActor::Client => reader(name),
        AuditActor::Operator => ActorName::Operator,
        AuditActor::Server => ActorName::Server,
    }
}

const fn is_failed_sign_in(kind: AuditKind) -> bool {
    use AuditKind as K;
    matches!(
        kind,
        K::SecondFactorRejected | K::SecondFactorLimited | K::PasskeyRefused | K::PasskeyCounterReversed
    )
}

/// Describes an event, to follow the actor's name; `None` for a kind that the page does not list.
const fn words(kind: AuditKind) -> Option<&'static str> {
    Some(match kind {
        AuditKind::SignedIn => "signed in",
        AuditKind::PasswordSet => "set a new password",
        AuditKind::EmailChangeRequested => "asked to use another email address",
        AuditKind::EmailChanged => "changed your email address",
        AuditKind::PasskeyAdded => "added a passkey",
        AuditKind::PasskeyRenamed => "renamed a passkey",
        AuditKind::PasskeyRemoved => "removed a passkey",
        AuditKind::PasskeyRefused => "tried to sign in with your passkey, but was rejected",
        AuditKind::PasskeyCounterReversed => "tried to sign in with your passkey, which may have been copied",
        AuditKind::SecondFactorTurnedOn => "turned on a second factor",
        AuditKind::SecondFactorTurnedOff => "turned off the second factor",
        AuditKind::SecondFactorRejected => "entered your password, but not a valid code",
        AuditKind::SecondFactorLimited => "entered your password, then too many wrong codes",
        AuditKind::RecoveryCodesCreated => "created new recovery codes",
        AuditKind::RecoveryCodeUsed => "used a recovery code to sign in",
        AuditKind::UserCreated => "created your account",
        AuditKind::UserChanged => "changed your account or profile",
        AuditKind::ProfileImported => "updated your profile from an import",
        AuditKind::ProfileShown => "viewed your profile",
        AuditKind::DataExported => "exported your data",
        AuditKind::ImportStarted => "started an import",
        AuditKind::ImportUndone => "undid an import",
        AuditKind::SleepWritten => "added or changed sleep data",
        AuditKind::SleepDeleted => "deleted a night",
        AuditKind::IntakeLogsWritten => "added or changed supplement data",
        AuditKind::IntakeLogDeleted => "deleted a supplement intake",
        AuditKind::LabelsWritten => "changed your products",
        _ => return None,
    })
}

fn reader(name: Option<ReaderName>) -> ActorName {
    match name {
        Some(ReaderName::Client(name)) => ActorName::App(name.as_str().to_owned()),
        Some(ReaderName::PersonalToken(name)) => ActorName::Token(name.as_str().to_owned()),
        None => ActorName::Gone,
    }
}

fn read_line(read: ListedRead, zone: TimeZone) -> ReadLine {
    let ListedRead { tally: ReadTally { key, requests, items, range }, reader_name } = read;
    let has_span = !matches!(key.kind, ReadKind::Data(DataKind::Profile) | ReadKind::Refresh);
    let RequestedRange { from, to } = range;
    let day = |at| moment::day(at, zone);
    ReadLine {
        at: moment::time_of_day(key.minute, zone),
        who: reader(reader_name),
        kind: key.kind,
        span: has_span.then(|| RequestedSpan { from: from.map(day), to: to.map(day) }),
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
    fn an_invalid_position_is_none() {
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

    #[test]
    fn exactly_the_listed_events_have_a_description() {
        for kind in AuditKind::ALL {
            assert_eq!(words(kind).is_some(), AuditKind::IN_ACTIVITY.contains(&kind), "{kind:?}");
        }
    }

    #[test]
    fn an_invalid_event_position_is_none() {
        let id = Uuid::from_u128(0xa);
        assert!(parse_event_position(&format!("1772971200000001.{id}")).is_some());
        for text in [
            String::new(),
            "1772971200000001".to_owned(),
            format!("-1.{id}"),
            format!("+1772971200000001.{id}"),
            format!("01772971200000001.{id}"),
            format!("9223372036854775807.{id}"),
            format!("253402300800000000.{id}"),
            format!("1772971200000001.{}", id.to_string().to_uppercase()),
            format!("1772971200000001.{id}.x"),
        ] {
            assert_eq!(parse_event_position(&text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_event_position_round_trips(micros in 0_i64..253_402_300_800_000_000, id: u128) {
            let at = DateTime::from_timestamp_micros(micros).unwrap();
            let position = (at, AuditEventId::from_uuid(Uuid::from_u128(id)));
            prop_assert_eq!(parse_event_position(&event_position(position)), Some(position));
        }

        #[test]
        fn a_position_round_trips(minute in 0_i64..100_000_000, id: u128, token: bool, kind in 0_usize..4) {
            let id = Uuid::from_u128(id);
            let reader = if token {
                Reader::PersonalToken(PersonalTokenId::from_uuid(id))
            } else {
                Reader::Client(ClientId::from_uuid(id))
            };
            let minute = DateTime::from_timestamp(minute * 60, 0).unwrap();
            let key = TallyKey { user_id: user(), minute, reader, kind: ReadKind::all().nth(kind).unwrap() };
            prop_assert_eq!(parse_position(&position(&key), user()), Some(key));
        }

        #[test]
        fn parsing_arbitrary_text_as_a_position_does_not_panic(text in ".*") {
            let _ = parse_position(&text, user());
            let _ = parse_event_position(&text);
        }
    }
}
