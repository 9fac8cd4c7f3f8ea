//! `/nights`: four weeks of a person's nights, and their year.

pub(crate) mod measure;
pub(crate) mod night;
pub(crate) mod picture;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::{PageState, moment, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use application::night::{NightList, NightsQuery};
use application::session::SignedInPerson;
use chrono::{Datelike, Days, NaiveDate};
use domain::counted;
use domain::paging::PageSize;
use domain::sleep::regularity::{ClockTimes, Recording, SleepRegularity};
use domain::sleep::trend::{
    self, DatedNight, SleepDay, SleepSpan, SourceNights, Spread, all_together, durations, nights_of, week_of,
};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use picture::Weeks;
use picture::view::Year;
use view::{Figure, SourceLink, SourcePictures, WeekPictures};

/// Year of the earliest session that can be stored.
const FIRST_YEAR: i32 = 1970;
/// Number of days of the pictures.
const DAYS: u64 = 28;
/// Maximum number of sessions of four weeks.
const MAX_OF_WEEKS: u16 = 400;
/// Maximum number of sessions of a year.
const MAX_OF_YEAR: u16 = 4_000;
/// Maximum number of sources to choose from.
const MAX_LINKS: usize = 6;
/// Value of `source` for sessions without a source; others have a prefix.
const UNNAMED: &str = "unnamed";
const NAMED_PREFIX: &str = "named:";

/// Query parameters of the page, and the notice.
#[derive(Default)]
pub(crate) struct NightsPageQuery<'q> {
    pub(crate) to: Option<NaiveDate>,
    pub(crate) source: Option<&'q str>,
    pub(crate) notice: Option<&'static str>,
}

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Nights.resource().route(get().to(show)))
        .service(Endpoint::DeleteNight.resource().route(post().to(night::delete)))
        .service(Endpoint::Night.resource().route(get().to(night::show)));
}

/// Shows the weeks of a date, by default the latest with sleep.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Nights.sign_in()));
    };
    let given = query::read(&request, &["to", "source", "done"])?;
    let asked = NightsPageQuery {
        to: given.get("to").map(date).transpose()?,
        source: given.get("source"),
        notice: (given.get("done") == Some("deleted")).then_some("Deleted."),
    };
    page(StatusCode::OK, &view(&state, &person, &asked).await?)
}

/// Parses a date of the query; rejects other spellings and years that no session is in.
fn date(text: &str) -> Result<NaiveDate, Problem> {
    let date = text.parse::<NaiveDate>().ok().filter(|date| (FIRST_YEAR..=9999).contains(&date.year()));
    date.filter(|date| date.to_string() == text).ok_or_else(|| Problem::new(Fault::InvalidForm))
}

/// Returns the value of `source` that chooses a source.
fn source_value(source: Option<&str>) -> String {
    source.map_or_else(|| UNNAMED.to_owned(), |name| format!("{NAMED_PREFIX}{name}"))
}

async fn view(
    state: &PageState,
    person: &SignedInPerson,
    asked: &NightsPageQuery<'_>,
) -> Result<view::Nights, Problem> {
    let zone = person.home_timezone;
    let latest = state.records.nights.latest(person.user_id, zone).await?;
    let end = state.records.nights.today(zone).max(latest.unwrap_or_default());
    let to = asked.to.or(latest).unwrap_or(end).min(end);
    let weeks = weeks_of(to, zone);
    let found = NightsPageData {
        of_weeks: list(state, person, weeks, true).await?,
        of_year: list(state, person, year_of(to, zone), false).await?,
        to,
        start: state.records.nights.earliest(person.user_id, zone).await?.unwrap_or(end),
        end,
        is_empty: latest.is_none(),
    };
    Ok(draw(person::to_view(person), zone, &found, asked))
}

/// Sessions of a page.
pub(crate) struct NightsPageData {
    pub(crate) of_weeks: NightList,
    pub(crate) of_year: NightList,
    /// Date of the last of the four weeks.
    pub(crate) to: NaiveDate,
    /// Date of the first session, or today.
    pub(crate) start: NaiveDate,
    /// Date of the latest session, or today.
    pub(crate) end: NaiveDate,
    /// Whether the person has no session at all.
    pub(crate) is_empty: bool,
}

/// Draws the page.
pub(crate) fn draw(
    person: crate::view::Person,
    zone: TimeZone,
    found: &NightsPageData,
    asked: &NightsPageQuery<'_>,
) -> view::Nights {
    let NightsPageData { of_weeks, of_year, to, start, end, is_empty } = found;
    let (weeks, year_dates) = (weeks_of(*to, zone), year_of(*to, zone));
    let so_far = Weeks { last: weeks.last.min(*end), ..weeks };
    let spans = spans(of_weeks);
    let days = trend::days(&spans, zone);
    let sources = trend::sources(&days);
    let is_asked = |source: Option<&str>| asked.source == Some(source_value(source).as_str());
    let chosen = sources.iter().find(|found| is_asked(found.source)).or(sources.first()).copied();
    let later = weeks.last.checked_add_days(Days::new(DAYS)).unwrap_or(weeks.last).min(*end);
    let number = to.year();
    view::Nights {
        person,
        notice: asked.notice.map(str::to_owned),
        time_zone: zone.name().to_owned(),
        span: picture::dates_and_year(so_far.first, so_far.last),
        earlier: (weeks.first > *start).then(|| days_before(weeks.first, 1).to_string()),
        later: (weeks.last < *end).then(|| later.to_string()),
        is_latest: asked.to.is_none(),
        asked_source: chosen.filter(|_| asked.source.is_some()).map(|chosen| source_value(chosen.source)),
        sources: links(&sources, chosen, *to),
        source: chosen.filter(|_| sources.len() > 1).map(|chosen| picture::source_name(chosen.source)),
        weeks: chosen.map(|chosen| WeekPictures {
            raster: picture::raster(&days, so_far),
            nights: pictures(&days, &of_weeks.recordings, chosen.source, weeks),
        }),
        year: year(of_year, chosen, year_dates),
        year_number: number,
        year_before: (number > start.year()).then(|| format!("{}-12-31", number - 1)),
        year_after: (number < end.year()).then(|| format!("{}-12-31", number + 1)),
        is_cut: of_weeks.is_cut || of_year.is_cut,
        is_empty: *is_empty,
    }
}

/// Lists the sessions of some dates.
pub(crate) async fn list(
    state: &PageState,
    person: &SignedInPerson,
    weeks: Weeks,
    with_states: bool,
) -> Result<NightList, Problem> {
    let limit = if with_states { MAX_OF_WEEKS } else { MAX_OF_YEAR };
    let Some(limit) = PageSize::new(limit) else { return Ok(NightList::default()) };
    let Weeks { first, last, zone } = weeks;
    let query = NightsQuery { user_id: person.user_id, first, last, zone, with_states, limit };
    Ok(state.records.nights.list(query).await?)
}

/// Returns the four weeks, Monday to Sunday, the last of which has this date.
fn weeks_of(date: NaiveDate, zone: TimeZone) -> Weeks {
    let last = week_of(date).checked_add_days(Days::new(6)).unwrap_or(date);
    Weeks { first: days_before(last, DAYS - 1), last, zone }
}

fn year_of(date: NaiveDate, zone: TimeZone) -> Weeks {
    let first = NaiveDate::from_ymd_opt(date.year(), 1, 1).unwrap_or(date);
    let last = NaiveDate::from_ymd_opt(date.year(), 12, 31).unwrap_or(date);
    Weeks { first, last, zone }
}

fn spans(list: &NightList) -> Vec<SleepSpan> {
    list.recordings.iter().map(|recording| recording.span.clone()).collect()
}

fn days_before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

fn links(sources: &[SourceNights<'_>], chosen: Option<SourceNights<'_>>, to: NaiveDate) -> Vec<SourceLink> {
    if sources.len() < 2 {
        return Vec::new();
    }
    let link = |found: &SourceNights<'_>| SourceLink {
        name: picture::source_name(found.source),
        nights: found.nights,
        to: to.to_string(),
        value: source_value(found.source),
        is_current: chosen.is_some_and(|chosen| chosen.source == found.source),
    };
    sources.iter().take(MAX_LINKS).map(link).collect()
}

fn pictures(
    days: &[SleepDay<'_>],
    recordings: &[Recording],
    source: Option<&str>,
    weeks: Weeks,
) -> Option<SourcePictures> {
    let nights = nights_of(days, source);
    let of_source = recordings.iter().filter(|recording| recording.span.source.as_deref() == source);
    let index = SleepRegularity::from_recordings(&of_source.cloned().collect::<Vec<_>>(), weeks.zone);
    let regularity = picture::regularity(&nights, index, weeks)?;
    Some(SourcePictures {
        medians: medians(&nights, index, weeks),
        durations: picture::durations(&nights, weeks),
        regularity,
    })
}

fn medians(nights: &[DatedNight<'_>], index: Option<SleepRegularity>, weeks: Weeks) -> Vec<Figure> {
    let figure = |name, value: Option<(String, usize)>| {
        let (value, nights) = value?;
        Some(Figure { name, value, note: Some(counted(nights, "night")) })
    };
    let regularity = |index: SleepRegularity| Figure {
        name: "Regularity",
        value: index.index().to_string(),
        note: Some(format!("of 100, from {} of days", counted(index.pairs, "pair"))),
    };
    let length = |spread: Spread| (moment::duration(spread.median), spread.n);
    let clock = |spread: Spread| (moment::after_noon(spread.median), spread.n);
    let all = durations(nights, all_together).first().copied();
    let times = ClockTimes::from_nights(nights, weeks.zone).map(|times| times.spread);
    let figures = [
        figure("Asleep", all.and_then(|all| all.asleep).map(length)),
        figure("In bed", all.map(|all| length(all.in_bed))),
        figure("Bedtime", times.map(|times| clock(times.bedtime))),
        figure("Wake-up", times.map(|times| clock(times.wake_time))),
        index.map(regularity),
    ];
    figures.into_iter().flatten().collect()
}

/// Draws the nights of the chosen source, or of the one with most nights if it has none in the year.
fn year(list: &NightList, chosen: Option<SourceNights<'_>>, year: Weeks) -> Option<Year> {
    let spans = spans(list);
    let days = trend::days(&spans, year.zone);
    let with_nights: Vec<_> = trend::sources(&days).into_iter().filter(|found| found.nights > 0).collect();
    let is_chosen = |found: &&SourceNights<'_>| chosen.is_some_and(|chosen| chosen.source == found.source);
    let source = with_nights.iter().find(is_chosen).or(with_nights.first())?.source;
    let nights = nights_of(&days, source);
    Some(picture::year(&nights, year.first.year(), picture::source_name(source)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_dates_that_exist_are_read() {
        assert_eq!(date("2024-02-29").ok(), NaiveDate::from_ymd_opt(2024, 2, 29));
        for text in [
            "",
            "2026-02-29",
            "2026-2-1",
            "+2026-02-01",
            "26-02-01",
            "2026-13-01",
            "1969-12-31",
            "10000-01-01",
            "2026-02-01T00:00",
            " 2026-02-01",
            "20260201",
            "-0001-01-01",
        ] {
            assert!(date(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_text_as_a_date_does_not_panic(text in ".*") {
            let _ = date(&text);
        }
    }
}
