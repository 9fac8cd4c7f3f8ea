//! Successful exchanges, and the selection of the grant.

use super::*;
use application::ports::system::SigningFailed;

#[actix_web::test]
async fn a_code_exchange_returns_the_members_of_the_contract_and_of_rfc_6749() {
    let (_, state) = fresh();
    let answer = send(&state, get("/api/token", &code_query())).await;
    assert_token(&answer);
    assert_eq!(
        answer.text(),
        format!(
            concat!(
                r#"{{"access_token":"access:{user}:profile+sleep","refresh_token":"{refresh}","#,
                r#""token_type":"Bearer","expires_in":3600,"scope":"profile sleep","user_id":"{user}"}}"#
            ),
            user = MemoryStore::USER,
            refresh = answer.member("refresh_token"),
        )
    );
    assert!(answer.member("refresh_token").starts_with("rwr_"));
}

// T52
#[actix_web::test]
async fn a_refresh_returns_the_contracts_members_without_a_refresh_token() {
    let (_, state) = fresh();
    let answer = send(&state, get("/api/refresh", &refresh_query())).await;
    assert_token(&answer);
    assert_eq!(
        answer.text(),
        format!(
            concat!(
                r#"{{"access_token":"access:{user}:profile+sleep","expires_in":3600,"#,
                r#""token_type":"Bearer","scope":"profile sleep","user_id":"{user}"}}"#
            ),
            user = MemoryStore::USER
        )
    );
}

// T52
#[actix_web::test]
async fn the_refresh_token_is_echoed_only_when_grant_type_was_sent() {
    let (_, state) = fresh();
    for path in ["/api/token", "/api/refresh"] {
        let body = format!("grant_type=refresh_token&{}", refresh_query());
        let answer = send(&state, post_form(path, body)).await;
        assert_token(&answer);
        assert_eq!(answer.member("refresh_token"), MemoryStore::refresh_token());
    }
}

// T54
#[actix_web::test]
async fn a_refresh_can_narrow_the_scope_and_never_widen_it() {
    let (_, state) = fresh();
    let narrow = send(&state, get("/api/refresh", &format!("{}&scope=sleep", refresh_query()))).await;
    assert_eq!(narrow.member("scope"), "sleep");
    let wide =
        send(&state, get("/api/refresh", &format!("{}&scope=sleep+supplements", refresh_query()))).await;
    assert_error(&wide, 400, "invalid_scope");
}

#[actix_web::test]
async fn only_a_service_client_gets_a_token_for_itself() {
    let (_, state) = fresh();
    let query = |id| {
        format!("grant_type=client_credentials&client_id={id}&client_secret={}", MemoryStore::client_secret())
    };
    let answer = send(&state, post_form("/api/token", query(MemoryStore::SERVICE))).await;
    assert_token(&answer);
    assert_eq!(
        answer.text(),
        r#"{"access_token":"access:service:users:write+sleep:write","token_type":"Bearer","expires_in":3600,"scope":"users:write sleep:write"}"#
    );
    let answer = send(&state, post_form("/api/token", query(MemoryStore::APP))).await;
    assert_error(&answer, 400, "unauthorized_client");
    let body = format!("{}&scope=tokens:introspect", query(MemoryStore::SERVICE));
    assert_error(&send(&state, post_form("/api/token", body)).await, 400, "invalid_scope");
}

// T11
#[actix_web::test]
async fn a_code_is_single_use() {
    let (_, state) = fresh();
    assert_token(&send(&state, get("/api/token", &code_query())).await);
    assert_error(&send(&state, get("/api/token", &code_query())).await, 400, "invalid_grant");
}

// T15, T50
#[actix_web::test]
async fn another_clients_code_and_refresh_token_are_rejected_and_stay_valid() {
    let (_, state) = fresh();
    for (path, query) in [("/api/token", code_query()), ("/api/refresh", refresh_query())] {
        let stranger = query.replace(MemoryStore::APP, MemoryStore::STRICT);
        assert_error(&send(&state, post_form(path, stranger)).await, 400, "invalid_grant");
        assert_token(&send(&state, post_form(path, query)).await);
    }
}

// T16
#[actix_web::test]
async fn a_wrong_redirect_uri_is_rejected_and_does_not_use_up_the_code() {
    assert_refused(get("/api/token", &code_query().replace("back", "Back")), 400, "invalid_grant").await;
}

// T42
#[actix_web::test]
async fn a_verifier_without_a_challenge_is_refused_rfc_9700_section_2_1_1() {
    let query = format!("{}&code_verifier={}", code_query(), "v".repeat(43));
    assert_refused(get("/api/token", &query), 400, "invalid_grant").await;
}

// T51
#[actix_web::test]
async fn user_id_is_required_without_a_grant_type_and_always_checked() {
    let (_, state) = fresh();
    let without = refresh_query().replace(&format!("&user_id={}", MemoryStore::USER), "");
    let answer = send(&state, get("/api/refresh", &without)).await;
    assert_error(&answer, 400, "invalid_request");
    assert_eq!(answer.member("error_description"), "user_id: is required");
    let optional = format!("{without}&grant_type=refresh_token");
    assert_token(&send(&state, get("/api/refresh", &optional)).await);
    let user = MemoryStore::USER;
    for other in [
        MemoryStore::APP.to_owned(),
        user.to_uppercase(),
        user.replace('-', ""),
        format!("0{user}"),
        format!("{user}%20"),
        format!("{user}%E2%80%8B"),
        format!("%7B{user}%7D"),
    ] {
        for query in [format!("{without}&user_id={other}"), format!("{optional}&user_id={other}")] {
            assert_error(&send(&state, get("/api/refresh", &query)).await, 400, "invalid_grant");
        }
    }
}

#[actix_web::test]
async fn a_grant_type_that_does_not_fit_the_path_is_refused() {
    for kind in ["password", "AUTHORIZATION_CODE", "urn:ietf:params:oauth:grant-type:device_code"] {
        let query = format!("{}&grant_type={kind}", code_query());
        assert_refused(get("/api/token", &query), 400, "unsupported_grant_type").await;
    }
    for kind in ["authorization_code", "client_credentials"] {
        let query = format!("{}&{}&grant_type={kind}", "code=x&redirect_uri=y", refresh_query());
        assert_refused(get("/api/refresh", &query), 400, "unsupported_grant_type").await;
    }
    let (_, state) = fresh();
    let query = format!("{}&grant_type=authorization_code", code_query());
    assert_token(&send(&state, get("/api/token", &query)).await);
}

// T103
#[actix_web::test]
async fn an_unavailable_store_is_a_503_with_retry_after() {
    let state = Parts { store: Arc::new(MemoryStore::down()), ..Parts::default() }.build();
    for (path, query) in [("/api/token", code_query()), ("/api/refresh", refresh_query())] {
        let answer = send(&state, get(path, &query)).await;
        assert_error(&answer, 503, "temporarily_unavailable");
        assert_eq!(answer.header("retry-after"), Some("5"));
    }
}

// T103
#[actix_web::test]
async fn a_signing_failure_is_a_500_and_does_not_use_up_the_code() {
    let signer = port::signer(|_| Err(SigningFailed(Some("broken".into()))));
    let store = Arc::new(MemoryStore::default());
    let state = Parts { store: Arc::clone(&store), signer, ..Parts::default() }.build();
    assert_error(&send(&state, get("/api/token", &code_query())).await, 500, "server_error");
    assert!(store.code_is_unused());
}

// T103
#[actix_web::test]
async fn a_server_without_keys_since_its_start_is_a_503_and_leaves_the_code() {
    let signer = port::signer(|_| Err(SigningFailed(None)));
    let store = Arc::new(MemoryStore::default());
    let state = Parts { store: Arc::clone(&store), signer, ..Parts::default() }.build();
    let answer = send(&state, get("/api/token", &code_query())).await;
    assert_error(&answer, 503, "temporarily_unavailable");
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert!(store.code_is_unused());
}
