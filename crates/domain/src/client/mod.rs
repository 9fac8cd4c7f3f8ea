//! Clients: the apps and backends that request tokens (RFC 6749 section 2).

mod imitation;
mod metadata;
mod redirect_uri;
mod review;
mod web_page;

pub use metadata::{
    InvalidClientId, InvalidMetadataUrl, MetadataContent, MetadataDocument, MetadataError, MetadataFields,
    MetadataPolicy, MetadataUrl, PresentedClientId,
};
pub use redirect_uri::{InvalidRedirectUri, RedirectUri, is_loopback};
pub use review::{Contact, InvalidContact, MAX_DRAFT_USERS, MAX_OWN_CLIENTS, MAX_OWN_REDIRECT_URIS, Review};
pub use web_page::{ClientPages, InvalidWebPage, WebPage};

use crate::deceptive_text::{is_display_name, stored_name};
use crate::id::{ClientId, ClientSecretId};
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use chrono::{DateTime, Utc};

/// Maximum number of active secrets per client: two, so that one can be rotated (decisions 3).
pub const MAX_LIVE_SECRETS: usize = 2;

/// The text is not a valid client name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a client's name has 1 to 100 characters, no line breaks, no leading or trailing spaces, and no \
     invisible or direction-changing characters (zero-width joiners only where a script or an emoji needs \
     them)"
)]
pub struct InvalidClientName;

/// Names of the server that a client must not imitate.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServerNames<'a> {
    /// Name of the operator; `None` if it is not published.
    pub operator: Option<&'a str>,
    /// Host of the pages.
    pub host: Option<&'a str>,
}

impl<'a> ServerNames<'a> {
    /// Returns the names of the server with this operator and public URL.
    pub fn new(operator: Option<&'a str>, public_url: &'a str) -> Self {
        let host = public_url.split_once("://").and_then(|(_, rest)| rest.split([':', '/']).next());
        Self { operator, host }
    }
}

/// Name of a client as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientName(String);

impl ClientName {
    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, InvalidClientName> {
        if is_display_name(text) { Ok(Self(text.to_owned())) } else { Err(InvalidClientName) }
    }

    /// Parses a stored name; removes deceptive characters, which earlier versions allowed.
    pub fn from_stored(text: &str) -> Result<Self, InvalidClientName> {
        Self::parse(&stored_name(text))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether people could take the client for this server or its operator, or for a reviewed one.
    pub fn imitates_server(&self, server: ServerNames<'_>) -> bool {
        imitation::imitates_server(&self.0, server)
    }

    /// Returns whether people could take the client for one of this name.
    pub fn looks_like(&self, other: &Self) -> bool {
        imitation::look_alike(&self.0, &other.0)
    }
}

/// Kind of a client. It determines whether the client has secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// An app with a secret that reads data with a person's consent.
    App,
    /// An app that cannot keep a secret, such as a native app, a command-line tool or an assistant (RFC 6749
    /// section 2.1). It has none, must use PKCE, and its refresh tokens rotate.
    PublicApp,
    /// A first-party backend with a secret that writes with `client_credentials` (decisions 9).
    Service,
}

impl ClientKind {
    /// Returns whether people can grant access to clients of this kind.
    pub const fn is_app(self) -> bool {
        matches!(self, Self::App | Self::PublicApp)
    }

    /// Returns whether clients of this kind have no secret (RFC 6749 section 2.1: public).
    pub const fn is_public(self) -> bool {
        matches!(self, Self::PublicApp)
    }
}

/// Status of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientStatus {
    /// Active.
    Active,
    /// Disabled: it cannot authenticate, and its tokens are rejected.
    Disabled {
        /// When the operator disabled it.
        at: DateTime<Utc>,
    },
}

impl ClientStatus {
    /// Returns whether the client is active.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Active)
    }
}

/// A registered client, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The `client_id`.
    pub id: ClientId,
    /// Its name.
    pub name: ClientName,
    /// Kind.
    pub kind: ClientKind,
    /// Allowed redirect URIs; an app has at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// Web pages about the client.
    pub pages: ClientPages,
    /// Contact of its developer, for the operator; `None` if not registered.
    pub contact: Option<Contact>,
    /// Its owner, and whether the operator has reviewed it.
    pub review: Review,
    /// Scopes the client may request.
    pub scopes: ScopeSet,
    /// Whether secrets are accepted in query strings, as the contract allows (decisions 2).
    pub allow_query_secrets: bool,
    /// Whether PKCE is required (RFC 7636); always true for a public app.
    pub require_pkce: bool,
    /// Status.
    pub status: ClientStatus,
    /// Document that it was registered from; `None` if a person or the operator registered it.
    pub document: Option<MetadataDocument>,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

impl Client {
    /// Creates an active app of the operator, with what the contract's apps may do.
    pub fn new(
        id: ClientId,
        name: ClientName,
        redirect_uris: Vec<RedirectUri>,
        scopes: ScopeSet,
        created_at: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            name,
            kind: ClientKind::App,
            redirect_uris,
            pages: ClientPages::default(),
            contact: None,
            review: Review::BY_OPERATOR,
            scopes,
            allow_query_secrets: true,
            require_pkce: false,
            status: ClientStatus::Active,
            document: None,
            created_at,
        }
    }

    /// Returns the redirect URI to use for a request with this one; `None` if it is not registered.
    ///
    /// URIs are compared exactly (security.md T20). Only for the loopback URIs of a public app is the port
    /// ignored, because the operating system chooses it at the time of the request (RFC 8252 section 7.3).
    pub fn registered_redirect_uri(&self, text: &str) -> Option<RedirectUri> {
        if let Some(exact) = self.redirect_uris.iter().find(|uri| uri.as_str() == text) {
            return Some(exact.clone());
        }
        let asked = RedirectUri::parse(text).ok().filter(|_| self.kind.is_public())?;
        self.redirect_uris.iter().any(|uri| uri.equals_except_loopback_port(&asked)).then_some(asked)
    }

    /// Returns whether another program could pose as the client: a public app whose redirect URI is on the
    /// person's computer, where any program can listen (RFC 8252 section 8.6).
    pub fn can_be_imitated(&self, redirect_uri: &RedirectUri) -> bool {
        self.kind.is_public() && redirect_uri.is_loopback()
    }

    /// Returns whether people can grant access to the client: an active app.
    pub fn can_receive_codes(&self) -> bool {
        self.kind.is_app() && self.status.is_active()
    }
}

/// Secret of a client, stored as a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSecret {
    /// Id of the secret.
    pub id: ClientSecretId,
    /// Its hash.
    pub hash: SecretHash,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Expiry; `None` if it does not expire.
    pub expires_at: Option<DateTime<Utc>>,
}

impl ClientSecret {
    /// Returns whether the secret is valid at this time.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// Returns whether a valid secret has this hash. Compares all of them, so that timing reveals nothing.
pub fn any_live_secret_matches(secrets: &[ClientSecret], presented: &SecretHash, now: DateTime<Utc>) -> bool {
    secrets.iter().fold(false, |found, secret| {
        let matches = secret.hash == *presented;
        found || (matches && secret.is_live(now))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn secret(byte: u8, expires_at: Option<DateTime<Utc>>) -> ClientSecret {
        ClientSecret {
            id: ClientSecretId::from_uuid(Uuid::nil()),
            hash: SecretHash::from_bytes([byte; 32]),
            created_at: DateTime::UNIX_EPOCH,
            expires_at,
        }
    }

    #[test]
    fn both_secrets_are_valid_during_a_rotation_and_only_the_new_one_after() {
        let end = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        let secrets = [secret(1, Some(end)), secret(2, None)];
        let old = SecretHash::from_bytes([1; 32]);
        let new = SecretHash::from_bytes([2; 32]);
        assert!(any_live_secret_matches(&secrets, &old, end - TimeDelta::seconds(1)));
        assert!(any_live_secret_matches(&secrets, &new, end - TimeDelta::seconds(1)));
        assert!(!any_live_secret_matches(&secrets, &old, end));
        assert!(any_live_secret_matches(&secrets, &new, end));
        assert!(!any_live_secret_matches(&[], &new, end));
    }

    #[test]
    fn a_name_is_one_clean_line() {
        assert!(ClientName::parse("Night Owl").is_ok());
        for text in ["", " x", "x\n", "a\u{0}b", &"x".repeat(101)] {
            assert_eq!(ClientName::parse(text), Err(InvalidClientName));
        }
    }

    #[test]
    fn a_name_that_would_look_like_another_one_is_rejected() {
        for text in ["Owl\u{202e}", "Night\u{200b}Owl", "\u{2066}Owl", "Night\u{200d}Owl", "Owl\u{ad}"] {
            assert_eq!(ClientName::parse(text), Err(InvalidClientName), "{text:?}");
        }
        assert!(InvalidClientName.to_string().contains("invisible or direction-changing"));
    }

    #[test]
    fn a_stored_name_is_cleaned_of_characters_that_are_now_rejected() {
        assert_eq!(ClientName::from_stored("Night\u{200b}Owl\u{202e}").unwrap().as_str(), "NightOwl");
        for corrupt in ["\u{200b}", "Night\nOwl", " Owl"] {
            assert_eq!(ClientName::from_stored(corrupt), Err(InvalidClientName), "{corrupt:?}");
        }
    }

    const REGISTERED: &str = "https://app.example.org/callback";

    fn client(kind: ClientKind, status: ClientStatus) -> Client {
        let (id, name) = (ClientId::from_uuid(Uuid::nil()), ClientName::parse("Night Owl").unwrap());
        let redirect_uris = vec![RedirectUri::parse(REGISTERED).unwrap()];
        let scopes = ScopeSet::CONSENTABLE;
        Client { kind, status, ..Client::new(id, name, redirect_uris, scopes, DateTime::UNIX_EPOCH) }
    }

    fn is_registered(text: &str) -> bool {
        client(ClientKind::App, ClientStatus::Active).registered_redirect_uri(text).is_some()
    }

    #[test]
    fn t20_a_redirect_uri_must_be_the_exact_registered_text() {
        assert!(is_registered(REGISTERED));
        for suffix in ["/", "?x=1", "#f", "/..%2f", "%00", "\0", ".evil", "@evil", " ", "\n", "\t"] {
            assert!(!is_registered(&format!("{REGISTERED}{suffix}")), "{suffix:?}");
        }
        for text in [
            "",
            "https://APP.example.org/callback",
            "HTTPS://app.example.org/callback",
            "http://app.example.org/callback",
            "https://app.example.org:443/callback",
            "https://app.example.org./callback",
            "https://\u{430}pp.example.org/callback",
            "https://app.example.org\\evil.example/callback",
            "https://app.example.org/%63allback",
            "https://app.example.org/%2563allback",
            "https://app.example.org/./callback",
            "https://app.example.org",
            "//app.example.org/callback",
        ] {
            assert!(!is_registered(text), "{text:?}");
        }
    }

    #[test]
    fn t20_a_loopback_address_in_another_spelling_is_not_the_registered_one() {
        let uris = ["http://127.0.0.1:9000/cb", "http://[::1]:9000/cb"];
        let redirect_uris = uris.map(|uri| RedirectUri::parse(uri).unwrap()).to_vec();
        let confidential = Client { redirect_uris, ..client(ClientKind::App, ClientStatus::Active) };
        assert!(uris.into_iter().all(|uri| confidential.registered_redirect_uri(uri).is_some()));
        for host in ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "[0:0:0:0:0:0:0:1]"] {
            assert_eq!(
                confidential.registered_redirect_uri(&format!("http://{host}:9000/cb")),
                None,
                "{host}"
            );
        }
        for port in ["", ":", ":0", ":9001", ":09000"] {
            assert_eq!(
                confidential.registered_redirect_uri(&format!("http://127.0.0.1{port}/cb")),
                None,
                "{port}"
            );
        }
    }

    fn public(uris: &[&str]) -> Client {
        let redirect_uris = uris.iter().map(|uri| RedirectUri::parse(uri).unwrap()).collect();
        Client { redirect_uris, ..client(ClientKind::PublicApp, ClientStatus::Active) }
    }

    /// RFC 8252 section 7.3.
    #[test]
    fn a_public_app_may_use_any_port_of_its_loopback_redirect_uris() {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            for registered in [format!("http://{host}/cb?x=1"), format!("http://{host}:9000/cb?x=1")] {
                let app = public(&[registered.as_str()]);
                for port in ["", ":1", ":9000", ":65535"] {
                    let asked = format!("http://{host}{port}/cb?x=1");
                    let used = app.registered_redirect_uri(&asked).map(|uri| uri.as_str().to_owned());
                    assert_eq!(used.as_deref(), Some(asked.as_str()), "{registered}");
                }
            }
        }
    }

    /// RFC 8252 section 8.6.
    #[test]
    fn a_public_app_on_the_persons_computer_can_be_imitated() {
        let app = public(&["http://localhost:9000/cb", "https://owl.example/cb"]);
        assert!(app.can_be_imitated(&app.redirect_uris[0]));
        assert!(!app.can_be_imitated(&app.redirect_uris[1]));
        let confidential = Client { kind: ClientKind::App, ..app };
        assert!(!confidential.can_be_imitated(&confidential.redirect_uris[0]));
    }

    /// RFC 8252 section 7.3.
    #[test]
    fn everything_but_the_port_of_a_loopback_redirect_uri_is_compared_exactly() {
        let app =
            public(&["http://127.0.0.1:9000/cb", "https://owl.example:8443/cb", "https://localhost/cb"]);
        for text in [
            "http://localhost:9000/cb",
            "http://[::1]:9000/cb",
            "http://127.0.0.2:9000/cb",
            "http://127.0.0.1:9000/cb/",
            "http://127.0.0.1:9000/CB",
            "http://127.0.0.1:9000/cb?x=1",
            "http://127.0.0.1:9000",
            "http://127.0.0.1:0/cb",
            "http://127.0.0.1:65536/cb",
            "http://127.0.0.1:/cb",
            "http://127.0.0.1:+1/cb",
            "http://127.0.0.1:1@evil.example/cb",
            "http://a@127.0.0.1:1/cb",
            "http://127.0.0.1:1#/cb",
            "HTTP://127.0.0.1:1/cb",
            "http://127.1:9000/cb",
            "https://127.0.0.1:9000/cb",
            "https://owl.example/cb",
            "https://owl.example:8444/cb",
            "https://localhost:1/cb",
        ] {
            assert_eq!(app.registered_redirect_uri(text), None, "{text}");
        }
    }

    #[test]
    fn only_an_active_app_can_receive_codes() {
        let disabled = ClientStatus::Disabled { at: DateTime::UNIX_EPOCH };
        for app in [ClientKind::App, ClientKind::PublicApp] {
            assert!(client(app, ClientStatus::Active).can_receive_codes());
            assert!(!client(app, disabled).can_receive_codes());
        }
        assert!(!client(ClientKind::Service, ClientStatus::Active).can_receive_codes());
    }

    proptest! {
        #[test]
        fn t20_any_changed_character_is_rejected(at in 0..REGISTERED.len(), to in any::<char>()) {
            let mut text: Vec<char> = REGISTERED.chars().collect();
            prop_assume!(text[at] != to);
            text[at] = to;
            let changed: String = text.into_iter().collect();
            prop_assert!(!is_registered(&changed));
        }

        #[test]
        fn t20_redirect_uris_with_added_or_missing_text_do_not_match(at in 0..=REGISTERED.len(), more in ".{1,8}") {
            let (before, after) = REGISTERED.split_at(at);
            let longer = format!("{before}{more}{after}");
            prop_assert!(!is_registered(&longer));
            if !after.is_empty() {
                prop_assert!(!is_registered(before));
            }
            if !before.is_empty() {
                prop_assert!(!is_registered(after));
            }
        }
    }
}
