use super::*;
use crate::client::{ClientKind, ClientStatus, RedirectUri};
use crate::outbound::OutboundError;
use crate::scope::{Scope, ScopeSet};
use proptest::prelude::*;
use uuid::Uuid;

const URL: &str = "https://owl.example/client.json";

fn url(text: &str) -> MetadataUrl {
    MetadataUrl::parse(text).unwrap()
}

fn fields() -> MetadataFields {
    MetadataFields {
        client_id: Some(URL.to_owned()),
        client_name: Some("Night Owl".to_owned()),
        redirect_uris: vec!["https://owl.example/callback".to_owned()],
        ..MetadataFields::default()
    }
}

fn client_of(fields: &MetadataFields) -> Result<Client, MetadataError> {
    let document = MetadataDocument { url: url(URL), fresh_until: DateTime::UNIX_EPOCH };
    MetadataContent::check(fields, &url(URL))
        .map(|content| content.into_client(document, DateTime::UNIX_EPOCH))
}

fn refused(change: impl FnOnce(&mut MetadataFields)) -> MetadataError {
    let mut fields = fields();
    change(&mut fields);
    client_of(&fields).unwrap_err()
}

/// CIMD section 3.
#[test]
fn a_client_id_is_an_https_url_with_a_path() {
    for text in [
        URL,
        "https://owl.example/a/",
        "https://owl.example:8443/client?x=1",
        "https://xn--bcher-kva.example/%41..",
        "https://192.0.2.1/x",
        "https://[2001:db8::1]/x",
    ] {
        assert_eq!(MetadataUrl::parse(text).unwrap().as_str(), text);
    }
}

/// CIMD section 3.
#[test]
fn other_urls_are_refused_each_with_its_reason() {
    use InvalidMetadataUrl as E;
    let long = format!("https://owl.example/{}", "x".repeat(481));
    for (text, reason) in [
        ("http://owl.example/client.json", E::NotHttps),
        ("http://127.0.0.1:3000/client.json", E::NotHttps),
        ("HTTPS://owl.example/client.json", E::NotHttps),
        ("ftp://owl.example/client.json", E::NotHttps),
        ("https:owl.example/client.json", E::NotHttps),
        ("https://owl.example", E::NoPath),
        ("https://owl.example/", E::NoPath),
        ("https://owl.example?x=/a", E::NoPath),
        ("https://owl.example/?x=/a", E::NoPath),
        ("https://owl.example/./client.json", E::DotSegment),
        ("https://owl.example/a/../client.json", E::DotSegment),
        ("https://owl.example/a/..", E::DotSegment),
        ("https://owl.example/a/%2e%2E/client.json", E::DotSegment),
        ("https://owl.example/a/.%2e", E::DotSegment),
        ("https://owl.example/client.json#", E::Fragment),
        ("https://owl.example/client.json#x", E::Fragment),
        ("https://sam@owl.example/client.json", E::UserInfo),
        ("https://sam:secret@owl.example/client.json", E::UserInfo),
        ("https://@owl.example/client.json", E::UserInfo),
        ("https://owl.example:22/client.json", E::Port),
        ("https://OWL.example/client.json", E::NotNormal),
        ("https://owl.example:443/client.json", E::NotNormal),
        ("https://owl.example:/client.json", E::NotNormal),
        ("https://2130706433/client.json", E::NotNormal),
        ("https://127.1/client.json", E::NotNormal),
        ("https://owl.ex%61mple/client.json", E::NotNormal),
        ("https://owl.example/<x>", E::NotNormal),
        ("https:///client.json", E::NotNormal),
        ("https://owl.example/a b", E::Malformed),
        ("https://owl.example/\u{e4}", E::Malformed),
        ("https://owl.example\\@evil.example/x", E::Malformed),
        ("https://owl .example/x", E::Malformed),
        ("https://[::1/x", E::Malformed),
        (&long, E::Malformed),
    ] {
        assert_eq!(MetadataUrl::parse(text), Err(reason), "{text}");
    }
}

#[test]
fn a_client_id_is_a_uuid_or_a_url_with_a_stable_id_of_version_8() {
    let id = url(URL).client_id();
    assert_eq!(id.to_string(), "825ce971-ca88-812a-bd46-9a5dcca5347c");
    assert_eq!(id.as_uuid().get_version_num(), 8);
    assert_ne!(url("https://owl.example/client.jsoN").client_id(), id);
    let text = id.to_string();
    assert_eq!(PresentedClientId::parse(&text), Ok(PresentedClientId::Registered(id)));
    assert_eq!(PresentedClientId::parse(URL).unwrap().id(), id);
    for text in ["", "owl", "owl.example/client.json", "https:owl.example"] {
        assert_eq!(PresentedClientId::parse(text), Err(InvalidClientId::Malformed), "{text}");
    }
    assert_eq!(PresentedClientId::parse("x://"), Err(InvalidMetadataUrl::NotHttps.into()));
}

#[test]
fn a_client_with_a_document_is_identified_by_the_url_alone() {
    let client = client_of(&fields()).unwrap();
    let presented = |text: &str| PresentedClientId::parse(text).unwrap();
    assert!(presented(URL).identifies(&client));
    assert!(!presented("https://owl.example/other.json").identifies(&client));
    assert!(!presented(&client.id.to_string()).identifies(&client));
    let registered = Client { document: None, ..client };
    assert!(presented(&registered.id.to_string()).identifies(&registered));
    assert!(!presented(URL).identifies(&registered));
}

#[test]
fn a_document_describes_a_public_app_with_pkce() {
    let client = client_of(&MetadataFields { auth_method: Some("none".to_owned()), ..fields() }).unwrap();
    assert_eq!((client.name.as_str(), client.kind), ("Night Owl", ClientKind::PublicApp));
    assert!(client.require_pkce && !client.allow_query_secrets);
    assert_eq!((client.scopes, client.status), (ScopeSet::CONSENTABLE, ClientStatus::Active));
    assert_eq!(client.id, url(URL).client_id());
}

/// CIMD section 4.1.
#[test]
fn the_client_id_is_the_url_of_the_document_byte_for_byte() {
    for other in
        [None, Some(""), Some("https://owl.example/client.json/"), Some("https://Owl.example/client.json")]
    {
        let fault = refused(|fields| fields.client_id = other.map(str::to_owned));
        assert_eq!(fault, MetadataError::OtherClientId, "{other:?}");
    }
}

/// CIMD section 4.1.
#[test]
fn a_document_with_a_secret_is_refused() {
    assert_eq!(refused(|fields| fields.has_secret = true), MetadataError::Secret);
}

/// CIMD sections 4.1 and 6.2.
#[test]
fn methods_with_a_shared_secret_and_private_keys_are_refused() {
    for method in
        ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "", "None"]
    {
        let fault = refused(|fields| fields.auth_method = Some(method.to_owned()));
        assert_eq!(fault, MetadataError::AuthMethod, "{method}");
    }
    assert!(MetadataError::AuthMethod.to_string().contains("private_key_jwt"));
}

/// MCP 2026-07-28, Client Registration, Implementation Requirements.
#[test]
fn a_name_is_required_and_may_not_deceive() {
    for name in [None, Some(""), Some("Owl\u{202e}"), Some("a\nb"), Some(" Owl")] {
        let fault = refused(|fields| fields.client_name = name.map(str::to_owned));
        assert_eq!(fault, MetadataError::Name, "{name:?}");
    }
}

/// CIMD section 4.5.
#[test]
fn redirect_uris_are_required_and_unsupported_ones_are_left_out() {
    for uris in [&[][..], &["owl://callback"], &["http://owl.example/cb", "https://owl.example/cb#x"]] {
        let fault =
            refused(|fields| fields.redirect_uris = uris.iter().map(|uri| (*uri).to_owned()).collect());
        assert_eq!(fault, MetadataError::RedirectUris, "{uris:?}");
    }
    let mut mixed = fields();
    mixed.redirect_uris = vec!["owl://callback".to_owned(), "http://127.0.0.1/cb".to_owned()];
    let client = client_of(&mixed).unwrap();
    assert_eq!(client.redirect_uris, [RedirectUri::parse("http://127.0.0.1/cb").unwrap()]);
    assert!(client.registered_redirect_uri("http://127.0.0.1:5000/cb").is_some());
}

#[test]
fn scopes_are_those_that_apps_may_have() {
    let scopes = |text: &str| client_of(&MetadataFields { scope: Some(text.to_owned()), ..fields() });
    let sleep: ScopeSet = [Scope::Sleep].into_iter().collect();
    assert_eq!(scopes("openid sleep sleep:write offline_access").unwrap().scopes, sleep);
    for text in ["", "openid", "sleep:write", "sleep,profile"] {
        assert_eq!(scopes(text), Err(MetadataError::Scope), "{text}");
    }
}

#[test]
fn pages_on_another_host_are_ignored() {
    let with = |page: &str| {
        let page = Some(page.to_owned());
        client_of(&MetadataFields { client_uri: page.clone(), policy_uri: page, ..fields() }).unwrap().pages
    };
    let own = with("https://owl.example/about");
    assert!(own.home.is_some() && own.privacy_policy == own.home);
    for page in
        ["https://evil.example/", "http://owl.example/", "javascript:alert(1)", "https://x.owl.example/"]
    {
        assert_eq!(with(page), crate::client::ClientPages::default(), "{page}");
    }
}

#[test]
fn the_policy_admits_listed_hosts_or_any() {
    let hosts = || vec!["owl.example".to_owned(), "dev.example:8443".to_owned()];
    let (off, listed, any) =
        (MetadataPolicy::Off, MetadataPolicy::Listed(hosts()), MetadataPolicy::Any(hosts()));
    assert_eq!(off.check(&url(URL)), Err(MetadataError::Off));
    assert_eq!(listed.check(&url(URL)), Ok(()));
    assert_eq!(listed.check(&url("https://dev.example:8443/x")), Ok(()));
    for other in [
        "https://evil.example/x",
        "https://x.owl.example/x",
        "https://owl.example:8443/x",
        "https://dev.example/x",
    ] {
        assert_eq!(listed.check(&url(other)), Err(MetadataError::HostNotListed), "{other}");
        assert_eq!(any.check(&url(other)), Ok(()));
    }
    assert!(!off.accepts_some() && listed.accepts_some() && any.accepts_some());
    assert!(!MetadataPolicy::Listed(Vec::new()).accepts_some());
    let client = client_of(&fields()).unwrap();
    assert!(!off.admits(&client) && listed.admits(&client));
    assert!(any.is_reviewed(&client) && !MetadataPolicy::Any(Vec::new()).is_reviewed(&client));
    let registered = Client { document: None, ..client };
    assert!(off.admits(&registered) && off.is_reviewed(&registered));
}

#[test]
fn faults_of_the_network_look_the_same() {
    let texts = [OutboundError::Forbidden, OutboundError::NotFound, OutboundError::TimedOut]
        .map(|error| MetadataError::from(error).to_string());
    assert!(texts.iter().all(|text| *text == texts[0] && text.contains("could not be fetched")), "{texts:?}");
}

proptest! {
    #[test]
    fn parsing_arbitrary_text_never_panics(text in ".*") {
        let _ = PresentedClientId::parse(&text);
    }

    /// CIMD section 6.9.
    #[test]
    fn a_generated_client_id_is_not_a_url(number in any::<u128>()) {
        let id = ClientId::from_uuid(Uuid::from_u128(number));
        let text = id.to_string();
        prop_assert!(!text.starts_with("https://"), "{}", text);
        prop_assert_eq!(PresentedClientId::parse(&text), Ok(PresentedClientId::Registered(id)));
    }

    /// CIMD section 3.
    #[test]
    fn an_accepted_url_is_what_a_url_parser_sees(
        user in "([a-z]{0,3}[@:])?",
        host in r"(owl\.example|localhost|127\.0\.0\.[0-9]|\[::1\]|[a-zA-Z0-9.%-]{0,8})",
        port in "(:[0-9]{0,5})?",
        rest in r"[/?#&=%a-e0-9.@;:\\]{0,20}",
    ) {
        let text = format!("https://{user}{host}{port}/{rest}");
        if let Ok(accepted) = MetadataUrl::parse(&text) {
            let parsed = ::url::Url::parse(&text).unwrap();
            prop_assert_eq!(parsed.as_str(), text.as_str());
            prop_assert_eq!(accepted.as_str(), text.as_str());
            prop_assert!(parsed.username().is_empty() && parsed.password().is_none());
            prop_assert!(parsed.fragment().is_none() && parsed.path() != "/");
            prop_assert!(parsed.path_segments().unwrap().all(|segment| !matches!(segment, "." | "..")));
        }
    }
}
