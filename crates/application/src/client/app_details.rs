//! Details of an app, as a developer enters them.

use crate::ports::storage::{ClientReader, StorageError};
use domain::client::{
    Client, ClientName, ClientPages, Contact, InvalidRedirectUri, MAX_OWN_REDIRECT_URIS, RedirectUri,
    ServerNames, WebPage,
};
use domain::id::UserId;
use domain::scope::{Scope, ScopeSet};

/// Number of clients that are read at a time.
const PAGE: u32 = 500;

/// Details of an app, as entered.
#[derive(Debug, Clone, Copy)]
pub struct AppForm<'a> {
    /// Name shown to people.
    pub name: &'a str,
    /// Home page; `None` if there is none.
    pub home_page: Option<&'a str>,
    /// Privacy policy; `None` if there is none.
    pub privacy_policy: Option<&'a str>,
    /// Email address or web page of the developer.
    pub contact: &'a str,
    /// Redirect URIs.
    pub redirect_uris: &'a [&'a str],
    /// Names of the scopes.
    pub scopes: &'a [&'a str],
}

/// A fault in the details of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidAppField {
    /// The name is invalid.
    Name,
    /// The user has registered an app with this name.
    NameTaken,
    /// The name imitates the server, its operator or an approved app, or claims a review.
    NameReserved,
    /// The home page is not an https URL.
    HomePage,
    /// The privacy policy is not an https URL.
    PrivacyPolicy,
    /// The contact is neither an email address nor an https URL.
    Contact,
    /// There is no redirect URI.
    NoRedirectUri,
    /// There are more than [`MAX_OWN_REDIRECT_URIS`] redirect URIs.
    TooManyRedirectUris,
    /// A redirect URI, counted from 1, is invalid.
    RedirectUri(usize, InvalidRedirectUri),
    /// There are no scopes, or one that people cannot grant.
    Scopes,
}

/// Valid details of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AppDetails {
    pub(super) name: ClientName,
    pub(super) pages: ClientPages,
    pub(super) contact: Contact,
    pub(super) redirect_uris: Vec<RedirectUri>,
    pub(super) scopes: ScopeSet,
}

/// Returns whether people could take an app of this developer and name for the server, its operator, or an
/// app of others that the operator registered or approved.
pub(super) async fn is_reserved(
    name: &str,
    server: ServerNames<'_>,
    owner: UserId,
    clients: &dyn ClientReader,
) -> Result<bool, StorageError> {
    // The fault of an invalid name is reported instead.
    let Ok(name) = ClientName::parse(name) else { return Ok(false) };
    if name.imitates_server(server) {
        return Ok(true);
    }
    let is_known = |client: &Client| {
        let review = client.review;
        client.kind.is_app()
            && !review.is_draft()
            && review.owner() != Some(owner)
            && client.document.is_none()
    };
    let mut after = None;
    loop {
        let page = clients.list_clients(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(false) };
        after = Some(last.id);
        if page.iter().any(|client| is_known(client) && name.looks_like(&client.name)) {
            return Ok(true);
        }
    }
}

impl AppDetails {
    /// Validates the details; returns every fault, in the order of the form.
    pub(super) fn read(form: AppForm<'_>, is_reserved: bool) -> Result<Self, Vec<InvalidAppField>> {
        let mut faults = Vec::new();
        let mut page = |text: Option<&str>, fault| {
            let page = text.map(WebPage::parse).transpose();
            page.unwrap_or_else(|_| {
                faults.push(fault);
                None
            })
        };
        let pages = ClientPages {
            home: page(form.home_page, InvalidAppField::HomePage),
            privacy_policy: page(form.privacy_policy, InvalidAppField::PrivacyPolicy),
        };
        let name = ClientName::parse(form.name);
        match &name {
            Err(_) => faults.insert(0, InvalidAppField::Name),
            Ok(_) if is_reserved => faults.insert(0, InvalidAppField::NameReserved),
            Ok(_) => {}
        }
        let contact = Contact::parse(form.contact);
        if contact.is_err() {
            faults.push(InvalidAppField::Contact);
        }
        let redirect_uris = redirect_uris(form.redirect_uris, &mut faults);
        let scopes: Result<ScopeSet, _> = form.scopes.iter().map(|name| Scope::parse(name)).collect();
        let scopes = scopes.unwrap_or(ScopeSet::EMPTY);
        if scopes.is_empty() || !scopes.is_subset_of(ScopeSet::CONSENTABLE) {
            faults.push(InvalidAppField::Scopes);
        }
        match (name, contact) {
            (Ok(name), Ok(contact)) if faults.is_empty() => {
                Ok(Self { name, pages, contact, redirect_uris, scopes })
            }
            _ => Err(faults),
        }
    }

    /// Returns the app with these details. An approved app becomes a draft again if its name changes or a
    /// link, redirect URI or scope is new, because the operator has not reviewed it.
    pub(super) fn applied_to(self, client: &Client) -> Client {
        let Self { name, pages, contact, redirect_uris, scopes } = self;
        let needs_review = name != client.name
            || is_new_page(pages.home.as_ref(), client.pages.home.as_ref())
            || is_new_page(pages.privacy_policy.as_ref(), client.pages.privacy_policy.as_ref())
            || redirect_uris.iter().any(|uri| !client.redirect_uris.contains(uri))
            || !scopes.is_subset_of(client.scopes);
        let review = if needs_review { client.review.withdrawn() } else { client.review };
        Client { name, pages, contact: Some(contact), redirect_uris, scopes, review, ..client.clone() }
    }
}

fn is_new_page(page: Option<&WebPage>, before: Option<&WebPage>) -> bool {
    page.is_some() && page != before
}

fn redirect_uris(texts: &[&str], faults: &mut Vec<InvalidAppField>) -> Vec<RedirectUri> {
    if texts.is_empty() {
        faults.push(InvalidAppField::NoRedirectUri);
    }
    if texts.len() > MAX_OWN_REDIRECT_URIS {
        faults.push(InvalidAppField::TooManyRedirectUris);
        return Vec::new();
    }
    let mut uris = Vec::new();
    for (position, text) in texts.iter().enumerate() {
        match RedirectUri::parse(text) {
            Ok(uri) => uris.push(uri),
            Err(error) => faults.push(InvalidAppField::RedirectUri(position + 1, error)),
        }
    }
    uris
}
