//! HTTP Basic: the result equals that of an independent parser and survives encoding it again.
//!
//! The input is the value of `Authorization`, or with a line break the pair before encoding.
#![no_main]

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use actix_web::test::TestRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_adapter::test_support::basic_credentials;
use libfuzzer_sys::fuzz_target;
use url::form_urlencoded::{byte_serialize, parse};

fn request(value: HeaderValue) -> HttpRequest {
    TestRequest::default().insert_header((AUTHORIZATION, value)).to_http_request()
}

fn read(value: &[u8]) -> Option<(String, String)> {
    basic_credentials(&request(HeaderValue::from_bytes(value).ok()?)).ok()?
}

/// Decodes form-encoded text with another library, treating its pair separators as text.
fn decode(text: &str) -> String {
    let text = format!("x={}", text.replace('&', "%26"));
    parse(text.as_bytes()).map(|(_, value)| value.into_owned()).next().unwrap()
}

fuzz_target!(|data: &[u8]| {
    let value = match data.strip_prefix(b"\n") {
        Some(pair) => format!("Basic {}", STANDARD.encode(pair)).into_bytes(),
        None => data.to_vec(),
    };
    let Some((id, secret)) = read(&value) else { return };
    for text in [&id, &secret] {
        assert!(!text.is_empty() && !text.chars().any(|character| character < ' '));
    }
    let text = std::str::from_utf8(&value).unwrap();
    let (scheme, encoded) = text.split_once(' ').unwrap();
    assert!(scheme.eq_ignore_ascii_case("basic"));
    let padded = encoded.trim().trim_end_matches('=');
    let padded = format!("{padded}{}", "=".repeat((4 - padded.len() % 4) % 4));
    let pair = String::from_utf8(STANDARD.decode(padded).unwrap()).unwrap();
    let (raw_id, raw_secret) = pair.split_once(':').unwrap();
    assert_eq!((decode(raw_id), decode(raw_secret)), (id.clone(), secret.clone()));
    let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let again = STANDARD.encode(format!("{}:{}", encode(&id), encode(&secret)));
    assert_eq!(read(format!("bASIC {again}").as_bytes()), Some((id, secret)));
});
