//! Contents of metadata documents.

use super::{MetadataDocument, MetadataError, MetadataUrl};
use crate::client::{Client, ClientKind, ClientName, ClientPages, RedirectUri, WebPage};
use crate::scope::{Scope, ScopeSet};
use chrono::{DateTime, Utc};
use url::Url;

/// Members of a metadata document that are used (RFC 7591 section 2). Everything else is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetadataFields {
    /// `client_id`.
    pub client_id: Option<String>,
    /// `client_name`.
    pub client_name: Option<String>,
    /// `redirect_uris`.
    pub redirect_uris: Vec<String>,
    /// `token_endpoint_auth_method`.
    pub auth_method: Option<String>,
    /// Whether `client_secret` or `client_secret_expires_at` is present.
    pub has_secret: bool,
    /// `scope`.
    pub scope: Option<String>,
    /// `client_uri`.
    pub client_uri: Option<String>,
    /// `policy_uri`.
    pub policy_uri: Option<String>,
}

/// Valid content of a metadata document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataContent {
    name: ClientName,
    redirect_uris: Vec<RedirectUri>,
    pages: ClientPages,
    scopes: ScopeSet,
}

impl MetadataContent {
    /// Checks the document at this URL (sections 4.1 and 6.2).
    pub fn check(fields: &MetadataFields, url: &MetadataUrl) -> Result<Self, MetadataError> {
        if fields.client_id.as_deref() != Some(url.as_str()) {
            return Err(MetadataError::OtherClientId);
        }
        if fields.has_secret {
            return Err(MetadataError::Secret);
        }
        if fields.auth_method.as_deref().is_some_and(|method| method != "none") {
            return Err(MetadataError::AuthMethod);
        }
        let name = fields.client_name.as_deref().ok_or(MetadataError::Name)?;
        // Schemes of native apps, for example, are not supported; the client may have another URI as well.
        let uris = fields.redirect_uris.iter().filter_map(|text| RedirectUri::parse(text).ok());
        let redirect_uris: Vec<RedirectUri> = uris.collect();
        if redirect_uris.is_empty() {
            return Err(MetadataError::RedirectUris);
        }
        Ok(Self {
            name: ClientName::parse(name).map_err(|_| MetadataError::Name)?,
            redirect_uris,
            pages: ClientPages {
                home: page_of(url, fields.client_uri.as_deref()),
                privacy_policy: page_of(url, fields.policy_uri.as_deref()),
            },
            scopes: scopes(fields.scope.as_deref())?,
        })
    }

    /// Returns the client: a public app, which must use PKCE and may not send codes in a query string.
    pub fn into_client(self, document: MetadataDocument, created_at: DateTime<Utc>) -> Client {
        let Self { name, redirect_uris, pages, scopes } = self;
        let id = document.url.client_id();
        Client {
            kind: ClientKind::PublicApp,
            pages,
            allow_query_secrets: false,
            require_pkce: true,
            document: Some(document),
            ..Client::new(id, name, redirect_uris, scopes, created_at)
        }
    }
}

/// Returns a web page on the host of the document; `None` for any other, which the app does not control.
fn page_of(url: &MetadataUrl, text: Option<&str>) -> Option<WebPage> {
    let page = WebPage::parse(text?).ok()?;
    let host = Url::parse(page.as_str()).ok()?;
    (host.host_str() == Some(url.target().host())).then_some(page)
}

/// Returns the scopes that apps may have; without the member, all. Those of other servers are ignored.
fn scopes(text: Option<&str>) -> Result<ScopeSet, MetadataError> {
    let Some(text) = text else { return Ok(ScopeSet::CONSENTABLE) };
    let known: ScopeSet = text.split(' ').filter_map(|name| Scope::parse(name).ok()).collect();
    let scopes = known.intersection(ScopeSet::CONSENTABLE);
    if scopes.is_empty() { Err(MetadataError::Scope) } else { Ok(scopes) }
}
