//! Reasons for rejections, recorded for the developer of the app.

use super::*;

/// Returns the statuses and reasons recorded for a code exchange with this query.
async fn recorded(query: &str) -> Vec<(u16, Option<String>)> {
    let parts = Parts::default();
    let usage = parts.usage.clone();
    send(&parts.build(), get("/api/token", query)).await;
    let usage = usage.lock().unwrap();
    usage.iter().map(|(request, status)| (*status, request.rejection.as_deref().map(str::to_owned))).collect()
}

#[actix_web::test]
async fn the_reason_of_a_rejection_is_recorded_where_the_client_is_known() {
    let query = code_query();
    let secret = MemoryStore::client_secret();
    let cases = [
        (query.replace("redirect_uri=", "other="), 400, "redirect_uri: is required"),
        (query.replace("client_secret=", "other="), 400, "no client secret was sent"),
        (query.replace(&secret, "rws_x"), 401, "the client secret is wrong or expired"),
        (
            query.replace("%2Fback", "%2Fx"),
            400,
            "the redirect URI is not the one of the authorization request",
        ),
        (query.replace(&MemoryStore::code(), "x"), 400, "the code is malformed"),
        (format!("{query}&code_verifier=short"), 400, "the code verifier is malformed"),
    ];
    for (query, status, reason) in cases {
        assert_eq!(recorded(&query).await, [(status, Some(reason.to_owned()))], "{reason}");
    }
    assert_eq!(recorded(&query).await, [(200, None)]);
}

#[actix_web::test]
async fn nothing_is_recorded_of_clients_that_do_not_exist() {
    for id in [MemoryStore::USER, "x", ""] {
        let query = code_query().replace(MemoryStore::APP, id);
        assert_eq!(recorded(&query).await, [], "{id}");
        assert_eq!(recorded(&query.replace("redirect_uri=", "other=")).await, [], "{id}");
    }
}
