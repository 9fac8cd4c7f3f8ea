//! `/profile`: what apps with the scope `profile` read, and changes of it.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, redirect_with_notice, see_other};
use crate::form::Form;
use crate::imports::profile::view::ProfileLine;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use crate::view::profile_field::words;
use crate::{PageState, moment, query};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::profile::{ProfileError, ShownProfile};
use application::session::SignedInPerson;
use chrono::{DateTime, Utc};
use domain::id::ImportId;
use domain::import::ImportState;
use domain::time::TimeZone;
use domain::user::{ProfileChange, ProfileField, ProfileOrigin, ProfileSource, ProfileValue, User};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use view::{ProfileFields, ZoneEffect};

/// Zones that are suggested for a name that is not one.
const MAX_SUGGESTED: usize = 8;

/// Returns the fields that a person can change.
fn editable() -> impl Iterator<Item = ProfileField> {
    ProfileField::ALL.into_iter().filter(|field| *field != ProfileField::CreatedAt)
}

/// Shows the profile.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Profile.sign_in()));
    };
    let notice = match query::read(&request, &["done"])?.get("done") {
        Some("saved") => Some("Your profile has been saved."),
        Some("same") => Some("Nothing was saved, because no field was changed."),
        _ => None,
    };
    let shown = find(&state, &person).await?;
    let typed: Vec<_> = editable().map(|field| FormField::from_user(&shown.user, field)).collect();
    let outcome = Outcome { notice: notice.map(str::to_owned), errors: FormErrors::none() };
    form_page(&state, &person, &shown, &typed, outcome).await
}

/// Shows what a form would change, and changes it once that was confirmed.
pub(crate) async fn submit(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let shown = find(&state, &person).await?;
    let typed: Vec<_> = editable().map(|field| FormField::read(&form, field)).collect::<Result<_, _>>()?;
    let values = match values(&typed, state.store.now()) {
        Ok(values) => values,
        Err(errors) => {
            return form_page(&state, &person, &shown, &typed, Outcome { notice: None, errors }).await;
        }
    };
    let changes = changes(&shown.user, &values);
    if changes.is_empty() {
        return Ok(redirect_with_notice(Endpoint::ProfilePage, "same"));
    }
    if form.is_ticked("confirm")? {
        return match state.profiles.change(person.user_id, &values).await {
            Ok(_) => Ok(redirect_with_notice(Endpoint::ProfilePage, "saved")),
            Err(ProfileError::Storage(error)) => Err(error.into()),
            Err(ProfileError::NotFound | ProfileError::Fixed | ProfileError::BornInTheFuture(_)) => {
                Err(Problem::new(Fault::InvalidForm))
            }
        };
    }
    let view = view::ProfilePreview {
        person: person::to_view(&person),
        changes: changes.iter().map(ProfileLine::new).collect(),
        effect: effect(&state, &person, &changes).await?,
        fields: typed.iter().map(FormField::hidden_fields).collect(),
    };
    page(StatusCode::OK, &view)
}

async fn find(state: &PageState, person: &SignedInPerson) -> Result<ShownProfile, Problem> {
    let shown = state.profiles.find(person.user_id).await?;
    shown.ok_or_else(|| Problem::new(Fault::ForeignForm))
}

/// A field of the form: the value that the form was shown with, and the one that was typed.
struct FormField {
    field: ProfileField,
    was: String,
    now: String,
}

impl FormField {
    fn from_user(user: &User, field: ProfileField) -> Self {
        let now = field.read(user).text().unwrap_or_default();
        Self { field, was: now.clone(), now }
    }

    fn read(form: &Form, field: ProfileField) -> Result<Self, Problem> {
        let chosen = if field == ProfileField::HomeTimezone { form.line("zone_choice")? } else { "" };
        let now = if chosen.is_empty() { form.line(field.as_str())? } else { chosen };
        let was = form.line(&original_name(field))?;
        Ok(Self { field, was: was.to_owned(), now: now.trim().to_owned() })
    }

    /// Returns the value if the person changed it.
    fn value(&self) -> Result<Option<ProfileValue>, &'static str> {
        if self.now == self.was {
            return Ok(None);
        }
        let text = self.text();
        let text = text.as_deref();
        let value = match self.field {
            ProfileField::HomeTimezone => {
                let zone = TimeZone::parse_current(text.unwrap_or_default()).ok();
                zone.map(ProfileValue::HomeTimezone)
            }
            field => ProfileValue::parse(field, text),
        };
        value.map(Some).ok_or(words(self.field).remedy)
    }

    /// Returns the text as the domain reads it; `None` if the field is empty.
    fn text(&self) -> Option<String> {
        let is_number = words(self.field).unit.is_some();
        let text = if is_number { self.now.replace(',', ".") } else { self.now.clone() };
        // Spellings such as `1e2` and `NaN` are not for people.
        let is_odd = is_number && !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let text = if is_odd { "?".to_owned() } else { text };
        (!text.is_empty()).then_some(text)
    }

    fn hidden_fields(&self) -> [(String, String); 2] {
        let name = self.field.as_str().to_owned();
        [(name, self.now.clone()), (original_name(self.field), self.was.clone())]
    }
}

/// Returns the name of the field with the value that the form was shown with. Without it, an old form would
/// take back what was changed elsewhere.
fn original_name(field: ProfileField) -> String {
    format!("was_{}", field.as_str())
}

/// Returns the values that the person changed, or what is wrong with them.
fn values(typed: &[FormField], now: DateTime<Utc>) -> Result<Vec<ProfileValue>, FormErrors> {
    let (mut values, mut errors) = (Vec::new(), FormErrors::none());
    for field in typed {
        match field.value() {
            Ok(Some(value)) if value.is_in_the_future(now) => {
                errors = errors.and(field.field.as_str(), "Enter a date that is not in the future.");
            }
            Ok(value) => values.extend(value),
            Err(text) => errors = errors.and(field.field.as_str(), text),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

fn changes(user: &User, values: &[ProfileValue]) -> Vec<ProfileChange> {
    let all =
        values.iter().map(|new| ProfileChange { old: new.field().read(user), new: *new, is_applied: false });
    all.filter(|change| change.old != change.new).collect()
}

/// Returns how the latest night would read in a new zone.
async fn effect(
    state: &PageState,
    person: &SignedInPerson,
    changes: &[ProfileChange],
) -> Result<Option<ZoneEffect>, Problem> {
    let zones = changes.iter().find_map(|change| match (change.old, change.new) {
        (ProfileValue::HomeTimezone(old), ProfileValue::HomeTimezone(new)) => Some((old, new)),
        _ => None,
    });
    let Some((old, new)) = zones else { return Ok(None) };
    let night = state.records.nights.find_latest(person.user_id).await?;
    let now = state.store.now();
    Ok(Some(ZoneEffect {
        clock_old: moment::to_the_minute(now, old).text,
        clock_new: moment::to_the_minute(now, new).text,
        night: night.map(|row| {
            let [old, new] =
                [old, new].map(|zone| moment::night(row.started_at_millis, row.ended_at_millis, zone));
            (old, new)
        }),
    }))
}

/// Outcome that the form shows.
struct Outcome {
    notice: Option<String>,
    errors: FormErrors,
}

async fn form_page(
    state: &PageState,
    person: &SignedInPerson,
    shown: &ShownProfile,
    typed: &[FormField],
    outcome: Outcome,
) -> Result<HttpResponse, Problem> {
    let Outcome { notice, errors } = outcome;
    let mut fields = Vec::new();
    for one in typed {
        fields.push(ProfileFields {
            name: one.field.as_str(),
            original_name: original_name(one.field),
            words: words(one.field),
            value: one.now.clone(),
            was: one.was.clone(),
            source: source(state, person, shown, one.field).await?,
        });
    }
    let zone = typed.iter().find(|one| one.field == ProfileField::HomeTimezone);
    let suggested = zone.filter(|_| errors.at("home_timezone").is_some());
    let view = view::Profile {
        person: person::to_view(person),
        notice,
        fields,
        suggested: suggested.map(|zone| suggest(&zone.now)).unwrap_or_default(),
        created: moment::to_the_minute(shown.user.created_at, person.home_timezone),
        errors,
    };
    page(view.errors.status(), &view)
}

/// Lists zones whose name contains what was typed.
fn suggest(typed: &str) -> Vec<&'static str> {
    let typed = typed.trim().to_ascii_lowercase().replace(' ', "_");
    if typed.is_empty() {
        return Vec::new();
    }
    let fits = |name: &&str| name.to_ascii_lowercase().contains(&typed);
    TimeZone::current_names().filter(fits).take(MAX_SUGGESTED).collect()
}

/// Describes where the value of a field came from.
async fn source(
    state: &PageState,
    person: &SignedInPerson,
    shown: &ShownProfile,
    field: ProfileField,
) -> Result<String, Problem> {
    let Some(ProfileSource { origin, at, .. }) = shown.sources.iter().find(|one| one.field == field) else {
        let is_empty = field.read(&shown.user).is_empty();
        return Ok(if is_empty { "Not set" } else { "Set when your account was created" }.to_owned());
    };
    let day = moment::day(*at, person.home_timezone).text;
    Ok(match origin {
        ProfileOrigin::Person => format!("Entered by you on {day}"),
        ProfileOrigin::Operator => format!("Set by the operator on {day}"),
        ProfileOrigin::Client => format!("Set by one of the operator’s services on {day}"),
        ProfileOrigin::Import(id) => imported(state, person, *id, &day).await?,
    })
}

async fn imported(
    state: &PageState,
    person: &SignedInPerson,
    id: ImportId,
    day: &str,
) -> Result<String, Problem> {
    let import = state.imports.find(person.user_id, id).await?;
    Ok(match import {
        Some(import) if import.state == ImportState::Undone => {
            format!("Restored on {day}, when the import of {} was undone", import.file_name.as_str())
        }
        Some(import) => format!("Imported from {} on {day}", import.file_name.as_str()),
        None => format!("Imported on {day}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(field: ProfileField, now: &str) -> Result<Option<ProfileValue>, &'static str> {
        FormField { field, was: "something else".to_owned(), now: now.to_owned() }.value()
    }

    #[test]
    fn invalid_values_and_aliases_of_zones_are_refused() {
        let cases = [
            (
                ProfileField::HomeTimezone,
                vec!["", "Berlin", "US/Eastern", "Asia/Calcutta", "GMT+1", "europe/berlin"],
            ),
            (ProfileField::BirthDate, vec!["1990-02-30", "1879-12-31", "17.05.1990", "1990-5-7", "tomorrow"]),
            (ProfileField::BiologicalSex, vec!["x", "Female"]),
            (ProfileField::BloodType, vec!["C+", "a+"]),
            (
                ProfileField::Height,
                vec!["0", "-170", "19.9", "300.1", "NaN", "1e2", "inf", "1.7.2", "172 cm"],
            ),
            (ProfileField::Weight, vec!["0", "-1", "701", "NaN", "64kg"]),
            (ProfileField::SkinType, vec!["0", "7", "-1", "1.5"]),
            (ProfileField::WheelchairUse, vec!["yes", "1"]),
        ];
        for (field, texts) in cases {
            for text in texts {
                assert!(typed(field, text).is_err(), "{field:?} {text}");
            }
        }
    }

    #[test]
    fn an_emptied_field_is_cleared_but_a_zone_cannot_be() {
        for field in editable().filter(|field| *field != ProfileField::HomeTimezone) {
            assert!(typed(field, "").unwrap().unwrap().is_empty(), "{field:?}");
        }
        assert_eq!(
            typed(ProfileField::Height, "172,5").unwrap(),
            typed(ProfileField::Height, "172.5").unwrap()
        );
    }

    #[test]
    fn a_field_that_the_person_left_alone_is_not_touched() {
        let same = FormField {
            field: ProfileField::HomeTimezone,
            was: "US/Eastern".into(),
            now: "US/Eastern".into(),
        };
        assert_eq!(same.value(), Ok(None));
    }

    #[test]
    fn a_part_of_a_name_suggests_zones() {
        assert_eq!(suggest("berlin"), ["Europe/Berlin"]);
        assert_eq!(suggest(" New York "), ["America/New_York"]);
        assert_eq!(suggest("America").len(), MAX_SUGGESTED);
        assert!(suggest("").is_empty() && suggest("Atlantis").is_empty());
    }
}
