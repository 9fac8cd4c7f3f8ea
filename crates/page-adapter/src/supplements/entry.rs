//! Entries made by hand: adding, changing, deleting.

use super::input::{self, InvalidTime};
use super::view::{self, FoldChoice};
use super::{form_errors, number, product_line};
use crate::answer::{page, redirect_with_notice, see_other};
use crate::form::Form;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use crate::{PageState, moment, query};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::intake::NewIntake;
use application::session::SignedInPerson;
use chrono::{DateTime, Utc};
use domain::id::{FormId, IntakeLogId, SupplementId};
use domain::supplement::daily::local_day;
use domain::supplement::{Servings, Supplement};
use domain::time::{Fold, TimeZone};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Purpose of the form.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// A new entry; the id of the form.
    Add(FormId),
    /// A change of an entry.
    Change(IntakeLogId),
}

/// Fields as typed.
struct EntryFields {
    servings: String,
    date: String,
    time: String,
    fold: Option<Fold>,
}

/// Valid fields.
struct ValidEntry {
    at: DateTime<Utc>,
    servings: Servings,
}

impl EntryFields {
    fn read(form: &Form) -> Result<Self, Problem> {
        let fold = match form.find("fold")? {
            None => None,
            Some("first") => Some(Fold::First),
            Some("second") => Some(Fold::Second),
            Some(_) => return Err(Problem::new(Fault::InvalidForm)),
        };
        let line = |name| form.line(name).map(str::to_owned);
        Ok(Self { servings: line("servings")?, date: line("date")?, time: line("time")?, fold })
    }

    /// Returns the fields of a stored or a new entry.
    fn from_entry(at: DateTime<Utc>, servings: f64, zone: TimeZone) -> Self {
        let local = moment::local(at, zone);
        let fold = zone.instants_at(local).filter(|(first, second)| first != second);
        Self {
            servings: number(servings),
            date: local.date().to_string(),
            time: local.format("%H:%M").to_string(),
            fold: fold.map(|(first, _)| if at == first { Fold::First } else { Fold::Second }),
        }
    }

    fn check(&self, zone: TimeZone) -> Result<ValidEntry, FormErrors> {
        let mut errors = FormErrors::none();
        let servings = input::servings(&self.servings);
        if servings.is_none() {
            errors = errors.and("servings", "Enter a number above 0 and up to 10,000, such as 1 or 0.5.");
        }
        let at = input::instant(zone, &self.date, &self.time, self.fold);
        let errors = match at {
            Ok(_) => errors,
            Err(InvalidTime::Date) => errors.and("date", "Enter a valid date, such as 2026-11-23."),
            Err(InvalidTime::Time) => errors.and("time", "Enter a time of day, such as 07:30."),
            Err(InvalidTime::Skipped) => errors.and(
                "time",
                "The clocks went forward that night, so this time did not exist. Enter another time.",
            ),
            Err(InvalidTime::Repeated(..)) => errors.and(
                "fold",
                "Clocks were set back that night, so this time occurred twice. Choose which one.",
            ),
        };
        match (at, servings) {
            (Ok(at), Some(servings)) => Ok(ValidEntry { at, servings }),
            _ => Err(errors),
        }
    }

    /// Returns the choice between the two instants of a time that occurred twice.
    fn choice(&self, zone: TimeZone) -> Option<FoldChoice> {
        let Err(InvalidTime::Repeated(first, second)) = input::instant(zone, &self.date, &self.time, None)
        else {
            return None;
        };
        let label = |at| format!("{} (UTC{})", self.time, zone.offset_at(at));
        Some(FoldChoice {
            first: label(first),
            second: label(second),
            is_first: self.fold == Some(Fold::First),
            is_second: self.fold == Some(Fold::Second),
        })
    }
}

/// Shows the form for a chosen supplement.
pub(super) async fn show_new(
    state: &PageState,
    person: &SignedInPerson,
    id: SupplementId,
    notice: Option<String>,
) -> Result<HttpResponse, Problem> {
    let found = state.records.intakes.find_supplement(person.user_id, id).await?;
    let (_, supplement) = found.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let recent = state.records.intakes.list_recent(person.user_id).await?;
    let last = recent.iter().find(|one| one.supplement.id == id);
    let servings = last.map_or(1.0, |one| one.servings.get());
    let typed = EntryFields::from_entry(state.store.now(), servings, person.home_timezone);
    let purpose = Purpose::Add(state.records.intakes.new_form());
    answer(person, purpose, &supplement, &typed, Outcome { notice, ..Outcome::default() })
}

/// Adds an entry.
pub(super) async fn add(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let entry = form.parse("entry", |id| FormId::parse(id).ok())?;
    let supplement_id = form.parse("supplement", |id| SupplementId::parse(id).ok())?;
    let typed = EntryFields::read(&form)?;
    let found = state.records.intakes.find_supplement(person.user_id, supplement_id).await?;
    let (_, supplement) = found.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let purpose = Purpose::Add(entry);
    let taken = match typed.check(person.home_timezone) {
        Ok(taken) => taken,
        Err(errors) => return refuse(&person, purpose, &supplement, &typed, errors),
    };
    let ValidEntry { at: taken_at, servings } = taken;
    let new = NewIntake { form: entry, supplement_id, taken_at, servings };
    match state.records.intakes.log(person.user_id, new).await {
        Ok(()) => Ok(redirect_to_day(taken_at, person.home_timezone, "added")),
        Err(error) => refuse(&person, purpose, &supplement, &typed, form_errors(error, "entry")?),
    }
}

/// Shows the form for an entry.
pub(super) async fn show_change(
    state: Data<PageState>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Supplements.sign_in()));
    };
    let query = query::read(&request, &["entry"])?;
    let id = query.get("entry").and_then(|id| IntakeLogId::parse(id).ok());
    let id = id.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let (log, supplement) = find(&state, &person, id).await?;
    let typed = EntryFields::from_entry(log.0, log.1.get(), person.home_timezone);
    answer(&person, Purpose::Change(id), &supplement, &typed, Outcome::default())
}

/// Changes an entry.
pub(super) async fn change(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("entry", |id| IntakeLogId::parse(id).ok())?;
    let typed = EntryFields::read(&form)?;
    let (_, supplement) = find(&state, &person, id).await?;
    let taken = match typed.check(person.home_timezone) {
        Ok(taken) => taken,
        Err(errors) => return refuse(&person, Purpose::Change(id), &supplement, &typed, errors),
    };
    match state.records.intakes.change(person.user_id, id, taken.at, taken.servings).await {
        Ok(()) => Ok(redirect_to_day(taken.at, person.home_timezone, "changed")),
        Err(error) => refuse(&person, Purpose::Change(id), &supplement, &typed, form_errors(error, "entry")?),
    }
}

/// Deletes an entry.
pub(super) async fn delete(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("entry", |id| IntakeLogId::parse(id).ok())?;
    // One that is gone was deleted in another window, or the form was sent twice.
    state.records.intakes.delete(None, person.user_id, id).await?;
    Ok(redirect_with_notice(Endpoint::IntakePage, "deleted"))
}

/// Returns time and servings of an entry made by hand, and its supplement.
async fn find(
    state: &PageState,
    person: &SignedInPerson,
    id: IntakeLogId,
) -> Result<((DateTime<Utc>, Servings), Supplement), Problem> {
    let found =
        state.records.intakes.find(person.user_id, id).await?.filter(|(log, _)| log.record.is_by_hand());
    let (log, supplement) = found.ok_or_else(|| Problem::new(Fault::NotFound))?;
    Ok(((log.record.created_at(), log.record.servings()), supplement))
}

fn redirect_to_day(at: DateTime<Utc>, zone: TimeZone, done: &str) -> HttpResponse {
    see_other(&format!("{}?day={}&done={done}", Endpoint::IntakePage.path(), local_day(at, zone)))
}

/// State of the form when it is shown again.
#[derive(Default)]
struct Outcome {
    notice: Option<String>,
    errors: FormErrors,
}

fn refuse(
    person: &SignedInPerson,
    purpose: Purpose,
    supplement: &Supplement,
    typed: &EntryFields,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    answer(person, purpose, supplement, typed, Outcome { notice: None, errors })
}

fn answer(
    person: &SignedInPerson,
    purpose: Purpose,
    supplement: &Supplement,
    typed: &EntryFields,
    outcome: Outcome,
) -> Result<HttpResponse, Problem> {
    let Outcome { notice, errors } = outcome;
    let (entry, is_change) = match purpose {
        Purpose::Add(form) => (form.to_string(), false),
        Purpose::Change(id) => (id.to_string(), true),
    };
    let view = view::IntakeForm {
        person: person::to_view(person),
        notice,
        entry,
        is_change,
        product: product_line(supplement, usize::MAX),
        servings: typed.servings.clone(),
        date: typed.date.clone(),
        time: typed.time.clone(),
        fold: typed.choice(person.home_timezone),
        zone: person.home_timezone.name(),
        errors,
    };
    page(view.errors.status(), &view)
}
