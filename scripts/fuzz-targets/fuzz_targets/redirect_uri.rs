//! Redirect URIs: a registered URI is safe to redirect to, and matches only itself.
//!
//! The input is the registered URI and, after a line break, the requested one.
#![no_main]

use chrono::DateTime;
use domain::client::{Client, ClientKind, ClientName, ClientPages, ClientStatus, RedirectUri, Review};
use domain::id::ClientId;
use domain::scope::ScopeSet;
use libfuzzer_sys::fuzz_target;
use url::{Host, Url};
use uuid::Uuid;

fn client(uri: RedirectUri) -> Client {
    Client {
        id: ClientId::from_uuid(Uuid::nil()),
        name: ClientName::parse("Night Owl").unwrap(),
        kind: ClientKind::App,
        redirect_uris: vec![RedirectUri::parse("https://owl.example/first").unwrap(), uri],
        pages: ClientPages::default(),
        contact: None,
        review: Review::BY_OPERATOR,
        scopes: ScopeSet::CONSENTABLE,
        allow_query_secrets: true,
        require_pkce: false,
        status: ClientStatus::Active,
        document: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fuzz_target!(|text: &str| {
    let (registered, asked) = text.split_once('\n').unwrap_or((text, text));
    let Ok(uri) = RedirectUri::parse(registered) else { return };
    assert_eq!(uri.as_str(), registered);
    assert!(registered.bytes().all(|byte| byte.is_ascii_graphic()));
    let url = Url::parse(registered).unwrap();
    assert!(registered.to_ascii_lowercase().starts_with(&format!("{}://", url.scheme())));
    assert!(url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url));
    assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
    assert_eq!(Some(uri.host().as_str()), url.host_str());
    assert!(!uri.host().is_empty() && uri.origin().contains(&uri.host()));
    // The visible host is the host that a browser opens.
    let authority = registered.split_once("://").unwrap().1.split(['/', '?']).next().unwrap();
    assert!(!authority.contains(['@', '\\', '#']) && !authority.is_empty());

    let client = client(uri);
    let matches = |text: &str| client.registered_redirect_uri(text).map(|uri| uri.as_str().to_owned());
    assert_eq!(matches(registered).as_deref(), Some(registered));
    let expected = [registered, "https://owl.example/first"].into_iter().find(|one| *one == asked);
    assert_eq!(matches(asked).as_deref(), expected);
    for other in
        [format!("{registered}/"), format!("{registered}#"), format!(" {registered}"), url.to_string()]
    {
        assert_eq!(matches(&other).is_some(), other == registered || other == "https://owl.example/first");
    }
});
