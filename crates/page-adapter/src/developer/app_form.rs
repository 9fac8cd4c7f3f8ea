//! Form with the details of an app.

use crate::form::Form;
use crate::view::{AppFields, FormErrors, ScopeLine};
use application::developer::{AppFault, AppForm};
use domain::client::{Client, MAX_OWN_REDIRECT_URIS, RedirectUri};
use domain::scope::{Scope, ScopeSet};
use http_adapter::problem::Problem;

/// Details of an app, as sent.
pub(super) struct SentApp<'a> {
    name: &'a str,
    home_page: Option<&'a str>,
    privacy_policy: Option<&'a str>,
    contact: &'a str,
    redirect_uris: Vec<&'a str>,
    scopes: Vec<&'a str>,
}

impl<'a> SentApp<'a> {
    pub(super) fn read(form: &'a Form) -> Result<Self, Problem> {
        let line = |name| form.line(name).map(str::trim);
        let optional = |name| line(name).map(|text| Some(text).filter(|text| !text.is_empty()));
        Ok(Self {
            name: line("name")?,
            home_page: optional("home_page")?,
            privacy_policy: optional("privacy_policy")?,
            contact: line("contact")?,
            // Browsers send unfilled fields.
            redirect_uris: form.all("redirect_uri").map(str::trim).filter(|uri| !uri.is_empty()).collect(),
            scopes: form.all("scope").collect(),
        })
    }

    pub(super) fn form(&self) -> AppForm<'_> {
        AppForm {
            name: self.name,
            home_page: self.home_page,
            privacy_policy: self.privacy_policy,
            contact: self.contact,
            redirect_uris: &self.redirect_uris,
            scopes: &self.scopes,
        }
    }

    /// Returns the fields of the form that is shown again.
    pub(super) fn fields(&self, errors: FormErrors) -> AppFields {
        let ticked: ScopeSet = self.scopes.iter().filter_map(|name| Scope::parse(name).ok()).collect();
        AppFields {
            name: self.name.to_owned(),
            home_page: self.home_page.unwrap_or_default().to_owned(),
            privacy_policy: self.privacy_policy.unwrap_or_default().to_owned(),
            contact: self.contact.to_owned(),
            redirect_uris: uri_fields(&self.redirect_uris),
            scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ticked),
            errors,
        }
    }
}

/// Returns the fields of a registered app.
pub(super) fn fields_of(client: &Client) -> AppFields {
    let uris: Vec<&str> = client.redirect_uris.iter().map(RedirectUri::as_str).collect();
    let page = |page: &Option<domain::client::WebPage>| {
        page.as_ref().map(|page| page.as_str().to_owned()).unwrap_or_default()
    };
    AppFields {
        name: client.name.as_str().to_owned(),
        home_page: page(&client.pages.home),
        privacy_policy: page(&client.pages.privacy_policy),
        contact: client.contact.as_ref().map(|contact| contact.as_str().to_owned()).unwrap_or_default(),
        redirect_uris: uri_fields(&uris),
        scopes: ScopeLine::list(ScopeSet::CONSENTABLE, client.scopes),
        errors: FormErrors::none(),
    }
}

/// Returns the redirect URIs with two empty fields for further ones, up to the limit.
fn uri_fields(uris: &[&str]) -> Vec<String> {
    let fields = uris.iter().map(|uri| (*uri).to_owned()).chain([String::new(), String::new()]);
    fields.take(MAX_OWN_REDIRECT_URIS.max(uris.len())).collect()
}

/// Describes the faults of a form.
pub(super) fn errors(faults: &[AppFault]) -> FormErrors {
    faults.iter().fold(FormErrors::none(), |errors, fault| match fault {
        AppFault::Name => errors.and(
            "name",
            "Enter a name of 1 to 100 visible characters, without invisible or direction-changing ones.",
        ),
        AppFault::NameTaken => errors.and("name", "You already have an app with this name."),
        AppFault::HomePage => {
            errors.and("home_page", "Home page: enter an https address, or leave it empty.")
        }
        AppFault::PrivacyPolicy => {
            errors.and("privacy_policy", "Privacy policy: enter an https address, or leave it empty.")
        }
        AppFault::Contact => {
            errors.and("contact", "Enter an email address, or an address that starts with https.")
        }
        AppFault::NoRedirectUri => errors.and("redirect_uri", "Enter at least one redirect URI."),
        AppFault::TooManyRedirectUris => {
            errors.and("redirect_uri", format!("Enter at most {MAX_OWN_REDIRECT_URIS} redirect URIs."))
        }
        AppFault::RedirectUri(position, reason) => {
            errors.and("redirect_uri", format!("Redirect URI {position} is not valid: {reason}."))
        }
        AppFault::Scopes => errors.and("scope", "Choose at least one kind of data for the app to read."),
    })
}
