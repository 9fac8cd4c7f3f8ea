//! `/nights/{id}`: one night of a person.

use super::measure::{figures, metric_lines};
use super::picture::view::SleepLine;
use super::picture::{self, Weeks};
use super::view::{self, OriginLine};
use crate::answer::{page, see_other};
use crate::nights;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::{PageState, moment};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use application::import::Import;
use application::session::SignedInPerson;
use chrono::{Days, TimeDelta};
use domain::id::SleepSessionId;
use domain::sleep::trend::{self, DatedNight, SleepSpan, nights_of};
use domain::sleep::{SleepSession, SleepSource, TimeInBed};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Maximum number of other sessions of the same day.
const MAX_OTHERS: usize = 20;
/// Days before and after a night in which the previous and the next one are looked for.
const NEIGHBOUR_SEARCH_DAYS: Days = Days::new(31);

/// Shows a night. One that does not exist and one of another person give the same response.
pub(crate) async fn show(
    state: Data<PageState>,
    request: HttpRequest,
    id: Path<String>,
) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Nights.sign_in()));
    };
    crate::query::read(&request, &[])?;
    let session = find(&state, &person, SleepSessionId::parse(&id).ok()).await?;
    let import = state.records.nights.find_import(person.user_id, session.id).await?;
    let zone = person.home_timezone;
    let date = session.record.time_in_bed().waking_date(zone);
    let around = Weeks {
        first: date.checked_sub_days(NEIGHBOUR_SEARCH_DAYS).unwrap_or(date),
        last: date.checked_add_days(NEIGHBOUR_SEARCH_DAYS).unwrap_or(date),
        zone,
    };
    let around = nights::list(&state, &person, around, false).await?.recordings;
    let spans: Vec<_> = around.into_iter().map(|recording| recording.span).collect();
    let same_day = spans.iter().rev().filter(|other| other.date(zone) == date && other.id != session.id);
    let others = same_day.take(MAX_OTHERS).map(|other| picture::sleep_line(other, zone)).collect();
    let listed = spans.iter().find(|span| span.id == session.id);
    let is_nap = listed.map_or(session.record.is_nap() == Some(true), SleepSpan::is_nap);
    let neighbours = Neighbours::find(&session, &spans, zone);
    page(
        StatusCode::OK,
        &draw(person::to_view(&person), zone, &NightPageData { session, is_nap, import, others, neighbours }),
    )
}

/// Deletes a night.
pub(crate) async fn delete(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("night", |id| SleepSessionId::parse(id).ok())?;
    let session = find(&state, &person, Some(id)).await?;
    if !state.records.nights.delete(None, person.user_id, id).await? {
        return Err(Problem::new(Fault::NotFound));
    }
    let date = session.record.time_in_bed().waking_date(person.home_timezone);
    Ok(see_other(&format!("{}?to={date}&done=deleted", Endpoint::Nights.path())))
}

async fn find(
    state: &PageState,
    person: &SignedInPerson,
    id: Option<SleepSessionId>,
) -> Result<SleepSession, Problem> {
    let not_found = || Problem::new(Fault::NotFound);
    let id = id.ok_or_else(not_found)?;
    state.records.nights.find(person.user_id, id).await?.ok_or_else(not_found)
}

/// Data of the page: a night, its import, and other sessions.
pub(crate) struct NightPageData {
    pub(crate) session: SleepSession,
    /// Whether it counts as a nap.
    pub(crate) is_nap: bool,
    pub(crate) import: Option<Import>,
    /// Other sessions of the same day.
    pub(crate) others: Vec<SleepLine>,
    pub(crate) neighbours: Neighbours,
}

/// Ids of the nights of the same source before and after a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
}

impl Neighbours {
    /// Finds the nights among the sessions of the surrounding weeks.
    fn find(session: &SleepSession, spans: &[SleepSpan], zone: TimeZone) -> Self {
        let frame = session.record.time_in_bed();
        let days = trend::days(spans, zone);
        let nights = nights_of(&days, session.record.source().map(SleepSource::as_str));
        let other = |night: &&DatedNight<'_>| night.span.id != session.id;
        let id = |night: &DatedNight<'_>| night.span.id.to_string();
        let is_before = |night: &&DatedNight<'_>| night.span.start_millis <= frame.start_millis();
        Self {
            previous: nights.iter().filter(other).rfind(is_before).map(id),
            next: nights.iter().filter(other).find(|night| !is_before(night)).map(id),
        }
    }
}

/// Draws the page.
pub(crate) fn draw(person: crate::view::Person, zone: TimeZone, found: &NightPageData) -> view::Night {
    let NightPageData { session, is_nap, import, others, neighbours } = found;
    let record = &session.record;
    let frame = record.time_in_bed();
    let date = frame.waking_date(zone);
    view::Night {
        person,
        id: session.id.to_string(),
        day: moment::weekday_and_date(date),
        time: moment::night(frame.start_millis(), frame.end_millis(), zone),
        is_nap: *is_nap,
        time_zone: zone.name().to_owned(),
        change: picture::clock_change(frame.start_millis(), frame.end_millis(), zone),
        time_there: time_there(frame, zone),
        figures: figures(record),
        hypnogram: picture::hypnogram(record, zone),
        no_stages: picture::no_stages(record),
        metrics: metric_lines(record),
        source: record.source().map_or(picture::NO_SOURCE, SleepSource::as_str).to_owned(),
        updated: moment::to_the_minute(session.updated_at, zone),
        import: import.as_ref().map(|import| OriginLine {
            id: import.id.to_string(),
            file: import.file_name.as_str().to_owned(),
            at: moment::to_the_minute(import.started_at, zone),
        }),
        others: others.clone(),
        previous: neighbours.previous.clone(),
        next: neighbours.next.clone(),
        to: date.to_string(),
    }
}

/// Formats the times by the offsets of the recording, if they differ from those of the zone.
fn time_there(frame: &TimeInBed, zone: TimeZone) -> Option<String> {
    let (start, end) = (frame.offset_at_start()?, frame.offset_at_end()?);
    if start == zone.offset_at(frame.start()) && end == zone.offset_at(frame.end()) {
        return None;
    }
    let clock = |at: chrono::DateTime<chrono::Utc>, offset: domain::time::UtcOffset| {
        (at.naive_utc() + TimeDelta::seconds(i64::from(offset.seconds()))).format("%H:%M").to_string()
    };
    let offsets = if start == end { format!("UTC{start}") } else { format!("UTC{start}, then UTC{end}") };
    Some(format!("{} to {} ({offsets})", clock(frame.start(), start), clock(frame.end(), end)))
}
