//! Choosing what to log.

use super::view::{self, ChoiceLine, FoundLines};
use super::{entry, ingredient_line, servings};
use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use crate::{PageState, moment, query};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::intake::FoundSupplements;
use application::session::SignedInPerson;
use domain::id::SupplementId;
use domain::supplement::{SearchWords, Supplement};
use domain::time::TimeZone;
use http_adapter::problem::{Fault, Problem};
use std::collections::HashSet;

/// Maximum number of ingredients shown to distinguish products.
const MAX_SHOWN_INGREDIENTS: usize = 3;

/// Shows the search and what was taken lately, or the form for a chosen supplement.
pub(super) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::AddIntake.sign_in()));
    };
    let query = query::read(&request, &["supplement", "done"])?;
    if let Some(id) = query.get("supplement") {
        let id = SupplementId::parse(id).map_err(|_| Problem::new(Fault::NotFound))?;
        let notice =
            (query.get("done") == Some("product")).then(|| "Your product has been saved.".to_owned());
        return entry::show_new(&state, &person, id, notice).await;
    }
    choose(&state, &person, String::new(), None, FormErrors::none()).await
}

/// Shows what a search finds.
pub(super) async fn search(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let query = form.line("query")?.trim().to_owned();
    let found = state.records.intakes.search(person.user_id, &query).await?;
    let errors = if found.is_some() {
        FormErrors::none()
    } else {
        let limit = SearchWords::MAX_QUERY;
        FormErrors::field(
            "query",
            format!("Enter a name, a brand or a product code, at most {limit} characters."),
        )
    };
    choose(&state, &person, query, found, errors).await
}

async fn choose(
    state: &PageState,
    person: &SignedInPerson,
    query: String,
    found: Option<FoundSupplements>,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    let recent = state.records.intakes.list_recent(person.user_id).await?;
    let known: HashSet<_> = recent.iter().map(|one| one.supplement.id).collect();
    let zone = person.home_timezone;
    let recent = recent.iter().map(|one| ChoiceLine {
        last: Some(last(one.taken_at, one.servings.get(), zone)),
        ..choice(&one.supplement)
    });
    let recent: Vec<_> = recent.collect();
    let own = state.records.intakes.list_products(person.user_id).await?;
    let own = own.iter().filter(|product| !known.contains(&product.id)).map(choice).collect();
    let found = found.map(|FoundSupplements { own, catalogue, is_partial }| FoundLines {
        own: own.iter().map(choice).collect(),
        catalogue: catalogue.iter().map(choice).collect(),
        is_partial,
    });
    let person = person::to_view(person);
    page(errors.status(), &view::ChooseSupplement { person, query, found, recent, own, errors })
}

fn last(at: chrono::DateTime<chrono::Utc>, taken: f64, zone: TimeZone) -> String {
    format!("Last: {}, {}", moment::to_the_minute(at, zone).text, servings(taken))
}

fn choice(supplement: &Supplement) -> ChoiceLine {
    let label = &supplement.label;
    let main_ingredients = label.ingredients().iter().filter(|ingredient| ingredient.amount().is_some());
    let main_ingredients = main_ingredients.take(MAX_SHOWN_INGREDIENTS).map(ingredient_line);
    let main_ingredients: Vec<_> =
        main_ingredients.map(|line| format!("{} {}", line.name, line.amount.unwrap_or_default())).collect();
    ChoiceLine {
        id: supplement.id.to_string(),
        name: label.name().to_owned(),
        brand: label.brand().to_owned(),
        main_ingredients: main_ingredients.join(", "),
        last: None,
    }
}
