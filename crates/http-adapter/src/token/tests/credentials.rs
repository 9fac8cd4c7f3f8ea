//! Client authentication: rows T03, T04 and T44 to T49.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

fn basic(pair: &str) -> (&'static str, String) {
    ("authorization", format!("Basic {}", STANDARD.encode(pair)))
}

/// Returns the refresh parameters without the client's.
fn anonymous() -> String {
    format!("refresh_token={}&user_id={}", MemoryStore::refresh_token(), MemoryStore::USER)
}

fn right_pair() -> String {
    format!("{}:{}", MemoryStore::APP, MemoryStore::client_secret())
}

// T03
#[actix_web::test]
async fn a_secret_can_come_by_query_form_json_or_basic() {
    let (_, state) = fresh();
    assert_token(&send(&state, get("/api/refresh", &refresh_query())).await);
    assert_token(&send(&state, post_form("/api/refresh", refresh_query())).await);
    let json = serde_json::json!({
        "refresh_token": MemoryStore::refresh_token(),
        "user_id": MemoryStore::USER,
        "client_id": MemoryStore::APP,
        "client_secret": MemoryStore::client_secret(),
    });
    assert_token(&send(&state, post_json("/api/refresh", json.to_string())).await);
    let request = get("/api/refresh", &anonymous()).insert_header(basic(&right_pair()));
    assert_token(&send(&state, request).await);
}

// T04
#[actix_web::test]
async fn a_server_that_forbids_secrets_in_queries_accepts_each_kind_in_a_body() {
    let state = Parts { allow_query_secrets: false, ..Parts::default() }.build();
    let client = format!("client_id={}&user_id={}", MemoryStore::APP, MemoryStore::USER);
    let hidden = format!("client_secret={}", MemoryStore::client_secret());
    let token = format!("refresh_token={}", MemoryStore::refresh_token());
    let secrets = [hidden.as_str(), token.as_str()];
    for (shown, kept) in [(secrets[0], secrets[1]), (secrets[1], secrets[0])] {
        let request = post_form(&format!("/api/refresh?{shown}"), format!("{client}&{kept}"));
        let answer = send(&state, request).await;
        assert_error(&answer, 400, "invalid_request");
        assert!(!answer.text().contains(&MemoryStore::client_secret()));
    }
    let request = post_form("/api/refresh", format!("{client}&{hidden}&{token}"));
    assert_token(&send(&state, request).await);
    let request = post_form("/api/token?code_verifier=x", code_query());
    assert_error(&send(&state, request).await, 400, "invalid_request");
    let code = format!("code={}", MemoryStore::code());
    let request = post_form(&format!("/api/token?{code}"), code_query().replace(&format!("{code}&"), ""));
    assert_error(&send(&state, request).await, 400, "invalid_request");
    assert_token(&send(&state, post_form("/api/token", code_query())).await);
}

// T04
#[actix_web::test]
async fn a_client_that_forbids_secrets_in_queries_is_refused_there_only() {
    let (_, state) = fresh();
    let query = refresh_query().replace(MemoryStore::APP, MemoryStore::STRICT);
    let answer = send(&state, get("/api/refresh", &query)).await;
    assert_error(&answer, 400, "invalid_request");
    // In the body, authentication succeeds, and the grant is another client's.
    assert_error(&send(&state, post_form("/api/refresh", query)).await, 400, "invalid_grant");
}

// T44
#[actix_web::test]
async fn an_unknown_client_and_a_wrong_secret_get_the_same_answer() {
    let (_, state) = fresh();
    let unknown = refresh_query().replace(MemoryStore::APP, "00000000-0000-4000-8000-000000000000");
    let no_uuid = refresh_query().replace(MemoryStore::APP, "nobody");
    let wrong = refresh_query().replace(&MemoryStore::client_secret(), "rws_wrong");
    let mut answers = Vec::new();
    for query in [unknown, no_uuid, wrong] {
        let answer = send(&Parts::default().build(), get("/api/refresh", &query)).await;
        assert_error(&answer, 401, "invalid_client");
        answers.push((answer.text().to_owned(), answer.headers.len()));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    assert_token(&send(&state, get("/api/refresh", &refresh_query())).await);
}

// T46
#[actix_web::test]
async fn two_methods_of_authentication_may_agree_and_must_not_disagree() {
    let (_, state) = fresh();
    let with = |extra: String| {
        let body = format!("{}{extra}", anonymous());
        post_form("/api/refresh", body).insert_header(basic(&right_pair()))
    };
    let id = MemoryStore::APP;
    let secret = MemoryStore::client_secret();
    for extra in [format!("&client_id={id}"), format!("&client_id={id}&client_secret={secret}")] {
        assert_token(&send(&state, with(extra)).await);
    }
    for extra in [
        format!("&client_id={}", MemoryStore::STRICT),
        "&client_secret=rws_other".to_owned(),
        format!("&client_id={id}&client_secret={secret}x"),
    ] {
        assert_error(&send(&state, with(extra)).await, 400, "invalid_request");
    }
}

// T47
#[actix_web::test]
async fn basic_credentials_are_form_decoded_after_base64() {
    let (store, state) = fresh();
    let escape = |text: &str| text.replace('-', "%2D").replace('_', "%5F");
    let secret = MemoryStore::client_secret();
    for pair in [
        right_pair(),
        format!("{}:{}", escape(MemoryStore::APP), escape(&secret)),
        format!("{}:{}", MemoryStore::APP, secret.replace("rws", "%72%77%73")),
    ] {
        let request = get("/api/refresh", &anonymous()).insert_header(basic(&pair));
        assert_token(&send(&state, request).await);
    }
    let unpadded = STANDARD.encode(right_pair()).trim_end_matches('=').to_owned();
    let request =
        get("/api/refresh", &anonymous()).insert_header(("authorization", format!("basic {unpadded}")));
    assert_token(&send(&state, request).await);
    assert_eq!(store.failures(), 0);
}

// T47
#[actix_web::test]
async fn malformed_basic_credentials_are_an_invalid_request_and_no_guess() {
    let (store, state) = fresh();
    let valid = |pair: &str| STANDARD.encode(pair);
    for encoded in [
        "***".to_owned(),
        String::new(),
        valid("no-colon"),
        valid(":secret"),
        valid("id:"),
        valid("id:%2"),
        valid("id:%ff"),
        valid("id:a%00b"),
        STANDARD.encode(b"id:\xff"),
    ] {
        let header = ("authorization", format!("Basic {encoded}"));
        let answer = send(&state, get("/api/refresh", &anonymous()).insert_header(header)).await;
        assert_error(&answer, 400, "invalid_request");
        assert_eq!(answer.header("www-authenticate"), None);
    }
    let twice = get("/api/refresh", &anonymous())
        .append_header(basic(&right_pair()))
        .append_header(basic(&right_pair()));
    assert_error(&send(&state, twice).await, 400, "invalid_request");
    assert_eq!(store.failures(), 0);
}

// T48
#[actix_web::test]
async fn a_401_asks_for_basic_only_when_authorization_was_used() {
    let wrong = format!("{}:rws_wrong", MemoryStore::APP);
    let request = get("/api/refresh", &anonymous()).insert_header(basic(&wrong));
    let answer = assert_refused(request, 401, "invalid_client").await;
    assert!(answer.header("www-authenticate").unwrap().starts_with("Basic realm="));
    let request = get("/api/refresh", &refresh_query()).insert_header(("authorization", "Bearer abc"));
    let answer = assert_refused(request, 401, "invalid_client").await;
    assert!(answer.header("www-authenticate").unwrap().starts_with("Basic realm="));
    let request = get("/api/refresh", "user_id=x").insert_header(("authorization", "Bearer abc"));
    assert_refused(request, 400, "invalid_request").await;
    let query = refresh_query().replace(&MemoryStore::client_secret(), "rws_wrong");
    let answer = assert_refused(get("/api/refresh", &query), 401, "invalid_client").await;
    assert_eq!(answer.header("www-authenticate"), None);
}

// T49
#[actix_web::test]
async fn too_many_failures_are_a_429_and_the_right_secret_still_works() {
    let (store, state) = fresh();
    let wrong = refresh_query().replace(&MemoryStore::client_secret(), "rws_wrong");
    for _ in 0..2 {
        assert_error(&send(&state, get("/api/refresh", &wrong)).await, 401, "invalid_client");
    }
    let answer = send(&state, get("/api/refresh", &wrong)).await;
    assert_error(&answer, 429, "temporarily_unavailable");
    assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    assert_token(&send(&state, get("/api/refresh", &refresh_query())).await);
    assert_eq!(store.failures(), 3);
}
