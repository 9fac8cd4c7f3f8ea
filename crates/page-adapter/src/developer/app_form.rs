//! Form with the details of an app.

use super::view::AppFields;
use crate::form::Form;
use crate::view::{FormErrors, ScopeLine};
use application::client::{AppForm, InvalidAppField};
use domain::client::{Client, MAX_OWN_REDIRECT_URIS, RedirectUri};
use domain::scope::{Scope, ScopeSet};
use http_adapter::problem::Problem;

/// Details of an app, as sent.
pub(super) struct SubmittedApp<'a> {
    name: &'a str,
    home_page: Option<&'a str>,
    privacy_policy: Option<&'a str>,
    contact: &'a str,
    redirect_uris: Vec<&'a str>,
    scopes: Vec<&'a str>,
}

impl<'a> SubmittedApp<'a> {
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
pub(super) fn errors(faults: &[InvalidAppField]) -> FormErrors {
    faults.iter().fold(FormErrors::none(), |errors, fault| match fault {
        InvalidAppField::Name => errors.and(
            "name",
            "Enter a name of 1 to 100 visible characters, without invisible or direction-changing ones.",
        ),
        InvalidAppField::NameTaken => errors.and(
            "name",
            "You already have an app with this name. If you reloaded the page, nothing more was registered: open \
             the app in the list to create a new secret.",
        ),
        InvalidAppField::NameReserved => errors.and(
            "name",
            "Choose another name. This one looks like the name of this server or its operator or of an approved app, \
             or claims to be reviewed or official.",
        ),
        InvalidAppField::HomePage => {
            errors.and("home_page", "Home page: enter an https address, or leave it empty.")
        }
        InvalidAppField::PrivacyPolicy => {
            errors.and("privacy_policy", "Privacy policy: enter an https address, or leave it empty.")
        }
        InvalidAppField::Contact => {
            errors.and("contact", "Contact: enter an email address or an https address.")
        }
        InvalidAppField::NoRedirectUri => errors.and("redirect_uri", "Enter at least one redirect URI."),
        InvalidAppField::TooManyRedirectUris => {
            errors.and("redirect_uri", format!("Enter at most {MAX_OWN_REDIRECT_URIS} redirect URIs."))
        }
        InvalidAppField::RedirectUri(position, reason) => {
            errors.and("redirect_uri", format!("Redirect URI {position} {reason}."))
        }
        InvalidAppField::Scopes => {
            errors.and("scope", "Choose at least one kind of data for the app to read.")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::client::InvalidRedirectUri;

    #[test]
    fn an_invalid_redirect_uri_is_named_once() {
        let errors = errors(&[InvalidAppField::RedirectUri(2, InvalidRedirectUri::Fragment)]);
        assert_eq!(errors.at("redirect_uri"), Some("Redirect URI 2 must not have a fragment."));
    }

    #[test]
    fn the_error_of_a_contact_names_the_field() {
        let errors = errors(&[InvalidAppField::Contact]);
        assert_eq!(errors.at("contact"), Some("Contact: enter an email address or an https address."));
    }

    #[test]
    fn a_name_is_refused_with_the_reason() {
        for (fault, words) in [
            (InvalidAppField::Name, "visible characters"),
            (InvalidAppField::NameTaken, "already have an app with this name"),
            (InvalidAppField::NameReserved, "name of this server or its operator"),
        ] {
            let errors = errors(&[fault]);
            assert!(errors.at("name").is_some_and(|text| text.contains(words)), "{fault:?}");
        }
    }
}
