//! Bodies: rows T94 and T95.

use super::*;

const FORM: &str = "application/x-www-form-urlencoded";

// T94
#[actix_web::test]
async fn a_body_of_another_kind_is_refused_as_json() {
    for kind in
        ["text/plain", "multipart/form-data; boundary=x", "application/xml", "", "application/jsonx", "*/*"]
    {
        assert_refused(post("/api/token", kind, code_query()), 415, "invalid_request").await;
    }
    let untyped = TestRequest::post().uri("/api/token").set_payload(code_query());
    assert_refused(untyped, 415, "invalid_request").await;
    let twice = post_form("/api/token", code_query()).append_header(("content-type", "application/json"));
    assert_refused(twice, 415, "invalid_request").await;
}

// T94
#[actix_web::test]
async fn the_charset_is_utf_8_in_any_spelling_or_the_body_is_refused() {
    for charset in ["charset=UTF-8", "charset=utf-8", "Charset=\"utf-8\"", "x=y; charset=utf-8", ""] {
        let (_, state) = fresh();
        let request = post("/api/token", &format!("{FORM}; {charset}"), code_query());
        assert_token(&send(&state, request).await);
    }
    let (_, state) = fresh();
    let request = post("/api/token", &FORM.to_uppercase(), code_query());
    assert_token(&send(&state, request).await);
    for charset in ["utf-16", "iso-8859-1", "", "\"utf-16\""] {
        let request = post("/api/token", &format!("{FORM}; charset={charset}"), code_query());
        assert_refused(request, 400, "invalid_request").await;
    }
}

// T94
#[actix_web::test]
async fn a_byte_order_mark_and_broken_utf_8_are_refused() {
    for kind in [FORM, "application/json"] {
        let marked = [b"\xef\xbb\xbf".as_slice(), code_query().as_bytes()].concat();
        assert_refused(post("/api/token", kind, marked), 400, "invalid_request").await;
        let broken = [code_query().as_bytes(), b"&x=\xff".as_slice()].concat();
        assert_refused(post("/api/token", kind, broken), 400, "invalid_request").await;
    }
}

// T94
#[actix_web::test]
async fn an_encoded_body_is_rejected() {
    for coding in ["gzip", "br", "zstd", "deflate", "identity, gzip"] {
        let request = post_form("/api/token", code_query()).insert_header(("content-encoding", coding));
        assert_refused(request, 415, "invalid_request").await;
    }
}

#[actix_web::test]
async fn an_empty_body_may_be_of_any_kind() {
    for kind in ["text/plain", "application/json", FORM] {
        let (_, state) = fresh();
        let request = post(&format!("/api/token?{}", code_query()), kind, "");
        assert_token(&send(&state, request).await);
    }
}

// T95
#[actix_web::test]
async fn json_is_a_flat_object_of_strings_and_numbers_with_each_name_once() {
    for body in [
        "[]",
        "null",
        "7",
        "\"code\"",
        "{",
        "{}x",
        r#"{"code":["a"]}"#,
        r#"{"code":{"a":"b"}}"#,
        r#"{"code":null}"#,
        r#"{"code":true}"#,
        r#"{"x":[]}"#,
        r#"{"x":{}}"#,
        r#"{"code":"a","code":"b"}"#,
        r#"{"x":"a","x":"b"}"#,
        r#"{"code":"a","c\u006fde":"b"}"#,
        r#"{"code":"a\u0000b"}"#,
        r#"{"code":"\ud800"}"#,
        r#"{"code":""}"#,
        &format!("{}{}", r#"{"x":"#, "[".repeat(5000)),
    ] {
        assert_refused(post_json("/api/token", body.to_owned()), 400, "invalid_request").await;
    }
    let (_, state) = fresh();
    let body = serde_json::json!({
        "refresh_token": MemoryStore::refresh_token(),
        "client_id": MemoryStore::APP,
        "client_secret": MemoryStore::client_secret(),
        "user_id": MemoryStore::USER,
        "unknown": 7.5,
    });
    assert_token(&send(&state, post_json("/api/refresh", body.to_string())).await);
    // A number is its decimal text; here it is a wrong code.
    let body = format!(
        r#"{{"code":7,"client_id":"{}","client_secret":"{}","redirect_uri":"x"}}"#,
        MemoryStore::APP,
        MemoryStore::client_secret()
    );
    assert_refused(post_json("/api/token", body), 400, "invalid_grant").await;
}

// T95
#[actix_web::test]
async fn a_body_has_at_most_16_kib() {
    let (_, state) = fresh();
    let filled = |size: usize| {
        let query = format!("{}&x=", code_query());
        format!("{query}{}", "y".repeat(size - query.len()))
    };
    assert_token(&send(&state, post_form("/api/token", filled(16 * 1024))).await);
    assert_refused(post_form("/api/token", filled(16 * 1024 + 1)), 413, "invalid_request").await;
    let announced = post_form("/api/token", "code=a").insert_header(("content-length", "9999999999"));
    assert_refused(announced, 413, "invalid_request").await;
}
