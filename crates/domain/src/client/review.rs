//! Clients that people registered, and their review by the operator.

use super::Client;
use super::redirect_uri::RedirectUri;
use super::web_page::WebPage;
use crate::id::UserId;
use crate::scope::Scope;
use crate::user::Email;
use crate::webhook::WebhookEndpoint;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Maximum number of clients per owner.
pub const MAX_OWN_CLIENTS: usize = 10;

/// Maximum number of redirect URIs of a client that a person registered.
pub const MAX_OWN_REDIRECT_URIS: usize = 10;

/// Number of people besides its owner who can use a draft.
pub const MAX_DRAFT_USERS: u32 = 10;

/// Whether the operator has reviewed a client, and who registered it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// Registered, or changed since its approval, by its owner. The owner and [`MAX_DRAFT_USERS`] further
    /// people can use it.
    Draft {
        /// The person who registered it.
        owner: UserId,
    },
    /// Registered or approved by the operator.
    Approved {
        /// The person who registered it; `None` if the operator did, or if the person was erased.
        owner: Option<UserId>,
    },
}

impl Review {
    /// Review of a client that the operator registers.
    pub const BY_OPERATOR: Self = Self::Approved { owner: None };

    /// Returns the person who registered the client.
    pub const fn owner(self) -> Option<UserId> {
        match self {
            Self::Draft { owner } => Some(owner),
            Self::Approved { owner } => owner,
        }
    }

    /// Returns whether the operator has yet to approve the client.
    pub const fn is_draft(self) -> bool {
        matches!(self, Self::Draft { .. })
    }

    /// Returns whether this person is one of the limited number of users of a draft: anyone but its owner.
    pub fn limits(self, user_id: UserId) -> bool {
        matches!(self, Self::Draft { owner } if owner != user_id)
    }

    /// Returns the review after a change that the operator has to review. Only a client with an owner becomes
    /// a draft.
    #[must_use]
    pub const fn withdrawn(self) -> Self {
        match self.owner() {
            Some(owner) => Self::Draft { owner },
            None => self,
        }
    }

    /// Returns the review after the operator's approval.
    #[must_use]
    pub const fn approved(self) -> Self {
        Self::Approved { owner: self.owner() }
    }
}

impl Client {
    /// Returns a digest of what the operator reviews, 32 hexadecimal digits. It changes with the name, the
    /// pages, the contact, the redirect URIs, the scopes and the URLs of the client's webhook endpoints.
    pub fn revision(&self, endpoints: &[WebhookEndpoint]) -> String {
        let mut hasher = Sha256::new();
        let mut add = |part: &str| {
            hasher.update(part.len().to_be_bytes());
            hasher.update(part);
        };
        add(self.name.as_str());
        for page in [&self.pages.home, &self.pages.privacy_policy] {
            add(page.as_ref().map_or("", WebPage::as_str));
        }
        add(self.contact.as_ref().map_or("", Contact::as_str));
        self.redirect_uris.iter().map(RedirectUri::as_str).for_each(&mut add);
        self.scopes.iter().map(Scope::as_str).for_each(&mut add);
        endpoints.iter().map(|endpoint| endpoint.url.as_str()).for_each(&mut add);
        let digest: [u8; 32] = hasher.finalize().into();
        Uuid::from_bytes(digest.first_chunk().copied().unwrap_or_default()).simple().to_string()
    }
}

/// The text is neither an email address nor a web page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the contact must be an email address or an https URL")]
pub struct InvalidContact;

/// Contact of a client's developer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contact {
    /// An email address.
    Email(Email),
    /// A web page.
    Page(WebPage),
}

impl Contact {
    /// Parses a contact.
    pub fn parse(text: &str) -> Result<Self, InvalidContact> {
        WebPage::parse(text)
            .map(Self::Page)
            .or_else(|_| Email::parse(text).map(Self::Email))
            .map_err(|_| InvalidContact)
    }

    /// Returns the address or the normalised URL.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Page(page) => page.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{ClientName, ClientPages};
    use crate::id::{ClientId, WebhookEndpointId};
    use crate::outbound::OutboundUrl;
    use crate::webhook::{EndpointStatus, SealedWebhookSecret};

    fn user(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_draft_limits_everyone_but_its_owner() {
        let draft = Review::Draft { owner: user(1) };
        assert!(draft.is_draft() && draft.limits(user(2)) && !draft.limits(user(1)));
        for approved in [Review::BY_OPERATOR, draft.approved()] {
            assert!(!approved.is_draft() && !approved.limits(user(1)) && !approved.limits(user(2)));
        }
    }

    #[test]
    fn an_approved_client_keeps_its_owner() {
        let approved = Review::Draft { owner: user(1) }.approved();
        assert_eq!(approved, Review::Approved { owner: Some(user(1)) });
        assert_eq!((approved.approved(), approved.owner()), (approved, Some(user(1))));
        assert_eq!(Review::BY_OPERATOR.approved().owner(), None);
        assert_eq!(approved.withdrawn(), Review::Draft { owner: user(1) });
        assert_eq!(Review::BY_OPERATOR.withdrawn(), Review::BY_OPERATOR);
    }

    #[test]
    fn the_revision_changes_exactly_with_what_the_operator_reviews() {
        let (id, name) = (ClientId::from_uuid(Uuid::from_u128(1)), ClientName::parse("Night Owl").unwrap());
        let redirect_uris = vec![RedirectUri::parse("https://owl.example/callback").unwrap()];
        let scopes = [Scope::Sleep].into_iter().collect();
        let client = Client {
            review: Review::Draft { owner: user(1) },
            ..Client::new(id, name, redirect_uris, scopes, chrono::DateTime::UNIX_EPOCH)
        };
        let page = || WebPage::parse("https://owl.example/").ok();
        let mut two_uris = client.redirect_uris.clone();
        two_uris.push(RedirectUri::parse("https://owl.example/other").unwrap());
        let changed = [
            Client { name: ClientName::parse("Night Owl Two").unwrap(), ..client.clone() },
            Client { pages: ClientPages { home: page(), privacy_policy: None }, ..client.clone() },
            Client { pages: ClientPages { home: None, privacy_policy: page() }, ..client.clone() },
            Client { contact: Contact::parse("dev@owl.example").ok(), ..client.clone() },
            Client { redirect_uris: two_uris, ..client.clone() },
            Client { scopes: [Scope::Sleep, Scope::Profile].into_iter().collect(), ..client.clone() },
        ];
        let revisions: std::collections::BTreeSet<String> =
            changed.iter().chain([&client]).map(|client| client.revision(&[])).collect();
        assert_eq!(revisions.len(), changed.len() + 1);
        let approved = Client { review: client.review.approved(), ..client.clone() };
        assert_eq!(approved.revision(&[]), client.revision(&[]));
        let endpoint = WebhookEndpoint {
            id: WebhookEndpointId::from_uuid(Uuid::nil()),
            client_id: client.id,
            url: OutboundUrl::parse("https://owl.example/hooks").unwrap(),
            contact: None,
            status: EndpointStatus::Unconfirmed,
            is_reviewed: false,
            secret: SealedWebhookSecret::new(vec![1]),
            previous_secret: None,
            created_at: chrono::DateTime::UNIX_EPOCH,
        };
        let reviewed =
            WebhookEndpoint { is_reviewed: true, status: EndpointStatus::Active, ..endpoint.clone() };
        let with_endpoint = client.revision(std::slice::from_ref(&endpoint));
        assert_eq!(client.revision(&[reviewed]), with_endpoint);
        assert!(!revisions.contains(&with_endpoint));
    }

    #[test]
    fn a_contact_is_an_email_address_or_an_https_url() {
        assert!(matches!(Contact::parse("dev@owl.example"), Ok(Contact::Email(_))));
        assert!(matches!(Contact::parse("https://owl.example/contact"), Ok(Contact::Page(_))));
        for text in ["", "owl", "http://owl.example/", "javascript:alert(1)", "a b@owl.example", "@"] {
            assert_eq!(Contact::parse(text), Err(InvalidContact), "{text:?}");
        }
    }

    #[test]
    fn a_contact_reads_back_from_its_text() {
        for text in ["dev@owl.example", "https://owl.example/contact"] {
            assert_eq!(Contact::parse(text).unwrap().as_str(), text);
        }
    }
}
