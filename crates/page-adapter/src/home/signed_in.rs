//! `/` of a signed-in person: their last nights, and the last seven days.

use super::view::{self, AttentionLine, IntakeLine, LastNight, ReaderLine};
use crate::account::second_factor::codes_line;
use crate::answer::page;
use crate::nights::measure::figures;
use crate::nights::picture::{self, Weeks};
use crate::nights::{self};
use crate::view::noun;
use crate::{PageState, moment, person};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use application::audit::{ActivityEntry, ActivityPosition, ListedRead, ReaderName};
use application::import::Import;
use application::session::SignedInPerson;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::counted;
use domain::import::ImportState;
use domain::paging::PageSize;
use domain::read_tally::ReadKind;
use domain::sleep::trend::{self, SleepDay, SleepSpan, SourceNights, nights_of};
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use std::ops::RangeInclusive;

/// Number of days of the picture.
const DAYS: u64 = 14;
/// Number of days of the lists.
const DAYS_LISTED: u64 = 7;
/// Maximum number of listed products, readers and imports.
const MAX_LISTED: usize = 6;
/// Number of entries of the activity that are searched for readers.
const ENTRIES: u32 = 200;

/// Shows the home of a person.
pub(super) async fn show(state: &PageState, person: &SignedInPerson) -> Result<HttpResponse, Problem> {
    let (user_id, zone) = (person.user_id, person.home_timezone);
    let today = state.records.nights.today(zone);
    let latest = state.records.nights.latest(user_id, zone).await?;
    let last = latest.unwrap_or(today).min(today);
    let last = if (today - last).num_days() < 7 { today } else { last };
    let weeks = Weeks { first: last.checked_sub_days(Days::new(DAYS - 1)).unwrap_or(last), last, zone };
    let found = nights::list(state, person, weeks, false).await?;
    let spans: Vec<_> = found.recordings.into_iter().map(|recording| recording.span).collect();
    let days = trend::days(&spans, zone);
    let source = trend::sources(&days).first().map(|found| found.source);
    let recent = source.map(|source| nights_of(&days, source)).filter(|nights| !nights.is_empty());
    let since = zone.first_instant_of(today.checked_sub_days(Days::new(DAYS_LISTED - 1)).unwrap_or(today));
    let intakes = intakes(state, person, since..=zone.last_instant_of(today)).await?;
    let is_empty = latest.is_none() && intakes.is_empty() && !has_intakes(state, person).await?;
    let view = view::Home {
        person: person::to_view(person),
        time_zone: zone.name().to_owned(),
        attention: attention(state, person).await?,
        last: match latest_night(&days) {
            Some(night) => last_night(state, person, night, today).await?,
            None => None,
        },
        nothing_since: latest.filter(|latest| *latest < today).map(moment::weekday_and_date),
        recent: recent.map(|nights| (days_in_words(weeks, today), picture::durations(&nights, weeks))),
        intakes,
        readers: readers(state, person, since).await?,
        is_empty,
        can_upload: state.uploads.is_some(),
    };
    page(StatusCode::OK, &view)
}

/// Names the days of the picture: the last 14, or which ones.
fn days_in_words(weeks: Weeks, today: NaiveDate) -> String {
    if weeks.last == today {
        format!("Last {DAYS} days")
    } else {
        picture::dates_and_year(weeks.first, weeks.last)
    }
}

/// Returns the newest night of any source; of several on one day, that of the source with most nights.
fn latest_night<'s>(days: &[SleepDay<'s>]) -> Option<&'s SleepSpan> {
    let sources = trend::sources(days);
    days.iter().rev().find_map(|day| {
        let on_day = |found: &SourceNights<'_>| day.sources.iter().find(|here| here.source == found.source);
        sources.iter().find_map(|found| on_day(found)?.night)
    })
}

async fn last_night(
    state: &PageState,
    person: &SignedInPerson,
    night: &SleepSpan,
    today: NaiveDate,
) -> Result<Option<LastNight>, Problem> {
    let SleepSpan { id, start_millis, end_millis, .. } = *night;
    let zone = person.home_timezone;
    // Deleted since it was listed.
    let Some(session) = state.records.nights.find(person.user_id, id).await? else { return Ok(None) };
    Ok(Some(LastNight {
        id: id.to_string(),
        time: moment::night(start_millis, end_millis, zone),
        ended_today: night.date(zone) == today,
        hypnogram: picture::hypnogram(&session.record, zone),
        no_stages: picture::no_stages(&session.record),
        figures: figures(&session.record),
    }))
}

async fn intakes(
    state: &PageState,
    person: &SignedInPerson,
    period: RangeInclusive<DateTime<Utc>>,
) -> Result<Vec<IntakeLine>, Problem> {
    let Some(size) = PageSize::new(50) else { return Ok(Vec::new()) };
    let records = state.records.intakes.list(person.user_id, period, size).await?;
    let line = |record: &application::read::SupplementRecord| {
        let label = &record.supplement.label;
        IntakeLine {
            name: label.name().to_owned(),
            brand: label.brand().to_owned(),
            times: record.logs.len(),
        }
    };
    Ok(records.iter().take(MAX_LISTED).map(line).collect())
}

async fn has_intakes(state: &PageState, person: &SignedInPerson) -> Result<bool, Problem> {
    let Some(size) = PageSize::new(1) else { return Ok(false) };
    let ever = DateTime::UNIX_EPOCH..=DateTime::<Utc>::MAX_UTC;
    let records = state.records.intakes.list(person.user_id, ever, size).await?;
    Ok(!records.is_empty())
}

/// Lists the readers of the data since a given time, latest first.
async fn readers(
    state: &PageState,
    person: &SignedInPerson,
    since: DateTime<Utc>,
) -> Result<Vec<ReaderLine>, Problem> {
    let page = state.list_activity.run(person.user_id, ActivityPosition::default(), ENTRIES).await?;
    let mut found: Vec<(domain::read_tally::Reader, ReaderLine, Vec<&'static str>)> = Vec::new();
    for entry in page.entries {
        let ActivityEntry::Read(ListedRead { tally, reader_name }) = entry else { continue };
        let ReadKind::Data(kind) = tally.key.kind else { continue };
        if tally.key.minute < since {
            continue;
        }
        let known = found.iter().position(|(reader, ..)| *reader == tally.key.reader);
        let place = known.unwrap_or_else(|| {
            let line = ReaderLine { name: reader_name.map(name), what: String::new(), requests: 0 };
            found.push((tally.key.reader, line, Vec::new()));
            found.len() - 1
        });
        if let Some((_, line, kinds)) = found.get_mut(place) {
            line.requests = line.requests.saturating_add(tally.requests);
            let kind = noun(kind);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let line = |(_, line, kinds): (_, ReaderLine, Vec<&str>)| ReaderLine { what: kinds.join(", "), ..line };
    Ok(found.into_iter().take(MAX_LISTED).map(line).collect())
}

fn name(name: ReaderName) -> String {
    match name {
        ReaderName::Client(name) => name.as_str().to_owned(),
        ReaderName::PersonalToken(name) => name.as_str().to_owned(),
    }
}

/// Lists what the person should look at.
async fn attention(state: &PageState, person: &SignedInPerson) -> Result<Vec<AttentionLine>, Problem> {
    let mut lines = imports_to_look_at(state, person).await?;
    lines.extend(second_factor(state, person).await?);
    Ok(lines)
}

/// Returns what the person should do about their second factor, if anything.
async fn second_factor(state: &PageState, person: &SignedInPerson) -> Result<Option<AttentionLine>, Problem> {
    let line = |text: String, link| AttentionLine { text, path: SECOND_FACTOR.to_owned(), link };
    let Some(factor) = state.second_factors.find(person.user_id).await? else {
        let has_passkey = !state.passkeys.list(person.user_id).await?.is_empty();
        let text = "Your account is protected by a password alone.".to_owned();
        return Ok((!has_passkey).then(|| line(text, "Turn on a second factor")));
    };
    let codes = codes_line(factor);
    Ok(codes.are_few().then(|| line(format!("{}.", codes.text()), "Create new codes")))
}

const SECOND_FACTOR: &str = Endpoint::SecondFactor.path();

async fn imports_to_look_at(
    state: &PageState,
    person: &SignedInPerson,
) -> Result<Vec<AttentionLine>, Problem> {
    let imports = state.imports.list(Some(person.user_id), MAX_LISTED).await?;
    let since = state.store.now() - TimeDelta::days(14);
    let recent = imports.into_iter().filter(|import| import.started_at >= since);
    Ok(recent.filter_map(|import| import_line(&import)).collect())
}

fn import_line(import: &Import) -> Option<AttentionLine> {
    if import.is_cancelled() {
        return None;
    }
    let file = import.file_name.as_str();
    let text = match import.state {
        ImportState::Rejected => format!("The file {file} was not imported."),
        ImportState::Undone if import.undone.counts.kept > 0 => {
            format!("The import of {file} was undone only in part.")
        }
        ImportState::Done if import.report.rejected_total > 0 => {
            format!("The import of {file} skipped {}.", counted(import.report.rejected_total, "record"))
        }
        _ => return None,
    };
    let path = format!("{}/{}", Endpoint::Imports.path(), import.id);
    Some(AttentionLine { text, path, link: "See why" })
}
