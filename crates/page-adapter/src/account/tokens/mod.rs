//! `/tokens`: personal access tokens.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, redirect_with_notice, see_other};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::{FormErrors, ScopeLine};
use crate::{PageState, kept_form, moment, page_with_form, query};
use actix_web::web::{Data, ServiceConfig, post};
use actix_web::{HttpRequest, HttpResponse};
use application::personal_token::{
    CreatedPersonalToken, ListedPersonalToken, NewPersonalToken, PersonalTokenError,
};
use application::session::{AccountActor, SignedInPerson};
use domain::id::{FormId, PersonalTokenId};
use domain::scope::{Scope, ScopeSet};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use view::{CreatedToken, TokenForm, TokenLine};

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(page_with_form(Endpoint::Tokens, show, create))
        .service(Endpoint::RevokePersonalToken.resource().route(post().to(revoke)));
}

/// Shows the tokens and the form for a new one.
async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Tokens.sign_in()));
    };
    let notice = match query::read(&request, &["done"])?.get("done") {
        Some("revoked") => Some("The token has been revoked."),
        Some("sent-before") => Some(
            "This form had already created a token, so no second one was created. If you did not copy the token, \
             revoke it and create another one.",
        ),
        _ => None,
    };
    let contents = TokensPage { notice: notice.map(str::to_owned), ..TokensPage::default() };
    contents.answer(&state, &person).await
}

/// Creates a token and shows its text once. The response is a page, not a redirect, because the text is not
/// stored: if it is reloaded, the form creates nothing. A person whose last sign-in is too old must sign in
/// again.
async fn create(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let entry = form.parse("entry", |id| FormId::parse(id).ok())?;
    let name = form.line("name")?;
    let scopes: Vec<&str> = form.all("scope").collect();
    let expires_in_days = match form.find("expires")? {
        Some(days) => Some(days.parse().map_err(|_| Problem::new(Fault::InvalidForm))?),
        None => None,
    };
    let new = NewPersonalToken { form: entry, name, scopes: &scopes, expires_in_days };
    let errors = match state.personal_tokens.create(AccountActor::Person(&person), new).await {
        Ok(CreatedPersonalToken { secret, token }) => {
            let created = CreatedToken { name: token.name.as_str().to_owned(), secret };
            return TokensPage { created: Some(created), ..TokensPage::default() }
                .answer(&state, &person)
                .await;
        }
        Err(PersonalTokenError::NotFresh | PersonalTokenError::SessionEnded) => {
            return kept_form::sign_in(&form, Endpoint::Tokens, &state);
        }
        Err(PersonalTokenError::SentBefore) => {
            return Ok(redirect_with_notice(Endpoint::Tokens, "sent-before"));
        }
        Err(error) => form_errors(error)?,
    };
    let ticked: ScopeSet = scopes.iter().filter_map(|name| Scope::parse(name).ok()).collect();
    let form = TokenForm {
        entry: entry.to_string(),
        name: name.to_owned(),
        scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ticked),
        expires_in_days,
        errors,
    };
    TokensPage { form: Some(form), ..TokensPage::default() }.answer(&state, &person).await
}

/// Revokes a token, on every replica within two seconds.
async fn revoke(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let token_id = form.parse("token", |id| PersonalTokenId::parse(id).ok())?;
    state.personal_tokens.revoke(AccountActor::Person(&person), Some(token_id)).await?;
    Ok(redirect_with_notice(Endpoint::Tokens, "revoked"))
}

/// Returns the form errors; an error that the person cannot fix becomes a [`Problem`].
fn form_errors(error: PersonalTokenError) -> Result<FormErrors, Problem> {
    Ok(match error {
        PersonalTokenError::InvalidName => {
            FormErrors::field("name", "Enter a name of 1 to 100 visible characters.")
        }
        PersonalTokenError::InvalidScopes => {
            FormErrors::field("scope", "Choose at least one kind of data for the token to read.")
        }
        PersonalTokenError::InvalidLifetime => FormErrors::field("expires", "Choose when the token expires."),
        PersonalTokenError::TooManyTokens => FormErrors::form(
            "You have reached the limit of access tokens. Revoke one that you no longer need.",
        ),
        PersonalTokenError::NotFresh
        | PersonalTokenError::SessionEnded
        | PersonalTokenError::SentBefore
        | PersonalTokenError::AccountUnavailable => {
            return Err(Problem::new(Fault::ForeignForm));
        }
        PersonalTokenError::Storage(error) => return Err(error.into()),
    })
}

/// Contents of the page.
#[derive(Default)]
struct TokensPage {
    notice: Option<String>,
    created: Option<CreatedToken>,
    /// Submitted form with its errors.
    form: Option<TokenForm>,
}

impl TokensPage {
    async fn answer(self, state: &PageState, person: &SignedInPerson) -> Result<HttpResponse, Problem> {
        let Self { notice, created, form } = self;
        let settings = &state.http.settings;
        let tokens = state.personal_tokens.list(person.user_id).await?;
        let tokens = tokens.into_iter().filter(|listed| listed.token.revoked_at.is_none());
        let tokens = tokens.map(|listed| line(listed, person.home_timezone)).collect();
        let new_form = || TokenForm::empty(state.personal_tokens.new_form().to_string());
        let view = view::Tokens {
            person: person::to_view(person),
            has_developer_page: state.developer.is_some(),
            mcp_url: format!("{}{}", settings.public_url.trim_end_matches('/'), Endpoint::Mcp.path()),
            notice,
            created,
            tokens,
            form: form.unwrap_or_else(new_form),
        };
        page(view.form.errors.status(), &view)
    }
}

fn line(listed: ListedPersonalToken, zone: TimeZone) -> TokenLine {
    let ListedPersonalToken { token, is_live } = listed;
    TokenLine {
        id: token.id.to_string(),
        name: token.name.as_str().to_owned(),
        scopes: token.scopes,
        created: moment::day(token.created_at, zone),
        expires: token.expires_at.map(|at| moment::day(at, zone)),
        is_expired: !is_live,
        last_used: token.last_used_at.map(|at| moment::to_the_minute(at, zone)),
    }
}
