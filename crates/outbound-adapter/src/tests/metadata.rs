//! Client metadata documents.

use super::*;
use crate::MetadataReader;
use application::ports::system::{FetchedMetadata, MetadataSource as _};
use chrono::TimeDelta;
use domain::client::{MetadataContent, MetadataError, MetadataUrl};

const DOCUMENT: &str = r#"{"client_id": "https://hooks.example/client.json", "client_name": "Night Owl",
    "redirect_uris": ["https://hooks.example/cb"], "logo_uri": "https://hooks.example/logo.png"}"#;

/// Reads a document that a TLS host serves in this response.
async fn read_from(behaviour: Behaviour) -> Result<FetchedMetadata, MetadataError> {
    let (authorities, host) = tls_host("hooks.example", behaviour).await;
    let fetcher = GuardedFetcher::new(LOOPBACK, answers(&[&[host.address]])).trusting(authorities);
    MetadataReader::new(Arc::new(fetcher)).read(&url()).await
}

fn url() -> MetadataUrl {
    MetadataUrl::parse("https://hooks.example/client.json").unwrap()
}

fn response(head: &str, body: &str) -> Behaviour {
    Behaviour::Writes(format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

async fn read(body: &str) -> Result<FetchedMetadata, MetadataError> {
    read_from(response("200 OK\r\ncontent-type: application/json", body)).await
}

async fn max_age(headers: &str) -> Option<TimeDelta> {
    let head = format!("200 OK\r\ncontent-type: application/json\r\n{headers}");
    read_from(response(&head, DOCUMENT)).await.unwrap().max_age
}

#[tokio::test]
async fn a_document_is_read_with_the_members_that_are_used() {
    let FetchedMetadata { fields, max_age } = read(DOCUMENT).await.unwrap();
    assert_eq!(fields.client_id.as_deref(), Some("https://hooks.example/client.json"));
    assert_eq!(fields.client_name.as_deref(), Some("Night Owl"));
    assert_eq!(fields.redirect_uris, ["https://hooks.example/cb"]);
    assert!(!fields.has_secret && fields.auth_method.is_none() && max_age.is_none());
}

#[tokio::test]
async fn the_document_in_the_guide_for_apps_is_valid() {
    let guide = include_str!("../../../../docs/connect-your-app.md");
    let (_, rest) = guide.split_once("<!-- guide: document -->\n```json\n").unwrap();
    let (document, _) = rest.split_once("```").unwrap();
    let FetchedMetadata { fields, .. } = read(document).await.unwrap();
    let url = MetadataUrl::parse(fields.client_id.as_deref().unwrap()).unwrap();
    MetadataContent::check(&fields, &url).unwrap();
}

#[tokio::test]
async fn cimd_section_4_only_status_200_is_accepted_and_redirects_are_not_followed() {
    for status in
        ["201 X", "204 X", "404 X", "500 X", "304 X", "301 X\r\nlocation: https://hooks.example/other.json"]
    {
        let head = format!("{status}\r\ncontent-type: application/json");
        assert_eq!(read_from(response(&head, DOCUMENT)).await, Err(MetadataError::Status), "{status}");
    }
}

#[tokio::test]
async fn cimd_section_4_1_a_document_is_served_as_json() {
    for kind in ["application/json; charset=utf-8", "application/vnd.owl+json", "Application/JSON"] {
        let head = format!("200 OK\r\ncontent-type: {kind}");
        assert!(read_from(response(&head, DOCUMENT)).await.is_ok(), "{kind}");
    }
    for kind in
        ["content-type: text/html", "content-type: text/json", "content-type: application/jsonp", "x-a: b"]
    {
        let refused = read_from(response(&format!("200 OK\r\n{kind}"), DOCUMENT)).await;
        assert_eq!(refused, Err(MetadataError::ContentType), "{kind}");
    }
}

#[tokio::test]
async fn cimd_section_6_6_a_document_of_more_than_5_kb_is_refused() {
    let padded = |length: usize| format!("{DOCUMENT}{}", " ".repeat(length - DOCUMENT.len()));
    assert!(read(&padded(5120)).await.is_ok());
    assert_eq!(read(&padded(5121)).await, Err(MetadataError::TooLarge));
}

#[tokio::test]
async fn cimd_section_4_1_what_is_not_a_json_object_of_the_right_types_is_refused() {
    let deep = format!(r#"{{"scope": {}{}}}"#, "[".repeat(2000), "]".repeat(2000));
    for body in [
        "",
        "<html>",
        "null",
        "[]",
        r#"["https://hooks.example/client.json", "Night Owl", ["https://hooks.example/cb"]]"#,
        r#"{"client_id": 1}"#,
        r#"{"redirect_uris": "https://hooks.example/cb"}"#,
        r#"{"redirect_uris": [null]}"#,
        r#"{"client_id": "https://a.example/x", "client_id": "https://hooks.example/client.json"}"#,
        r#"{"client_id": "x"} {}"#,
        &deep,
    ] {
        assert_eq!(read(body).await, Err(MetadataError::NotJson), "{body}");
    }
}

#[tokio::test]
async fn deep_json_in_a_member_that_is_not_used_does_no_harm() {
    let deep = format!(r#"{{"x": {}{}}}"#, "[".repeat(2000), "]".repeat(2000));
    assert!(matches!(read(&deep).await, Ok(_) | Err(MetadataError::NotJson)));
}

#[tokio::test]
async fn cimd_section_4_1_a_secret_is_noticed_whatever_its_value() {
    for member in [r#""client_secret": "x""#, r#""client_secret": null"#, r#""client_secret_expires_at": 0"#]
    {
        assert!(read(&format!("{{{member}}}")).await.unwrap().fields.has_secret, "{member}");
    }
}

#[tokio::test]
async fn cimd_section_4_4_the_headers_say_how_long_a_document_is_fresh() {
    let minutes = |minutes| Some(TimeDelta::minutes(minutes));
    for (headers, expected) in [
        ("cache-control: public, max-age=600", minutes(10)),
        ("Cache-Control: MAX-AGE=600\r\nage: 60", minutes(9)),
        ("cache-control: max-age=60\r\nage: 120", minutes(-1)),
        ("cache-control: public\r\ncache-control: max-age=60", minutes(1)),
        ("cache-control: no-store, max-age=600", minutes(0)),
        ("cache-control: no-cache", minutes(0)),
        ("date: Sun, 06 Nov 1994 08:00:00 GMT\r\nexpires: Sun, 06 Nov 1994 08:30:00 GMT", minutes(30)),
        ("cache-control: max-age=60\r\nexpires: 0", minutes(1)),
        ("expires: 0", minutes(0)),
        ("cache-control: max-age=x", None),
        ("cache-control: max-age=99999999999999999999", None),
        ("x-a: b", None),
    ] {
        assert_eq!(max_age(headers).await, expected, "{headers}");
    }
}

#[tokio::test]
async fn cimd_section_6_5_a_host_that_resolves_to_a_special_address_is_not_fetched() {
    let (authorities, host) = tls_host("hooks.example", ok(DOCUMENT)).await;
    for address in [host.address, "10.0.0.1:443".parse().unwrap(), "169.254.169.254:443".parse().unwrap()] {
        let fetcher = GuardedFetcher::new(OutboundPolicy::default(), answers(&[&[address]]));
        let reader = MetadataReader::new(Arc::new(fetcher.trusting(authorities.clone())));
        let forbidden = MetadataError::NoResponse(OutboundError::Forbidden);
        assert_eq!(reader.read(&url()).await, Err(forbidden), "{address}");
    }
    assert_eq!(host.requests(), [""; 0]);
}

/// Never responds.
struct Stuck;

#[async_trait]
impl Fetcher for Stuck {
    async fn fetch(&self, _: OutboundRequest) -> Result<OutboundResponse, OutboundError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn of_nine_fetches_at_a_time_the_last_is_refused() {
    let reader = Arc::new(MetadataReader::new(Arc::new(Stuck)));
    let reads: Vec<_> = (0..8)
        .map(|_| {
            let reader = reader.clone();
            tokio::spawn(async move { reader.read(&url()).await })
        })
        .collect();
    tokio::task::yield_now().await;
    assert_eq!(reader.read(&url()).await, Err(MetadataError::Busy));
    for read in reads {
        read.abort();
        assert!(read.await.is_err());
    }
    let waiting = tokio::time::timeout(Duration::from_millis(20), reader.read(&url())).await;
    assert!(waiting.is_err(), "there is room again");
}
