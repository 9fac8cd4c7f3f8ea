//! Compares responses with the table.

use super::attempt::Attempt;
use super::cast::Cast;
use super::sample::{self, Good, SingleUseInputs};
use crate::e2e::security::caller::Reply;
use http_adapter::problem::Fault;
use http_adapter::{Audience, Credential, Outcome};
use reqwest::Method;
use serde_json::Value;

/// Sends an attempt; returns a description of an unexpected response.
pub(super) async fn check(cast: &Cast, attempt: &Attempt, material: &SingleUseInputs) -> Result<(), String> {
    let sample = sample::request_for(cast, attempt.endpoint, &attempt.method, material);
    let reply = Reply::to(attempt.request(cast, &sample, material)).await;
    let outcome = attempt.audience.outcome(attempt.credential);
    let is_head = attempt.method == Method::HEAD;
    let judged = match outcome {
        Outcome::Served => served(&reply, sample.good),
        Outcome::Refused(fault) if is_head => status(&reply, fault.row().status),
        Outcome::Refused(fault) => refused(&reply, fault, attempt.audience),
        Outcome::ToSignIn => redirected(&reply, &["/sign-in?"]),
    };
    let has_no_body = || if reply.body.is_empty() || !is_head { Ok(()) } else { Err("a body".to_owned()) };
    let judged = judged.and_then(|()| has_no_body());
    let judged = judged.and_then(|()| assert_indistinguishable(&reply, outcome));
    judged.map_err(|what| {
        let Attempt { endpoint, method, credential, .. } = attempt;
        format!("{method} {endpoint:?} with {credential:?}: {what} in place of {outcome:?}: {reply:?}")
    })
}

/// Checks that rejected attempts changed nothing: the owner is still signed in, and every token works.
pub(super) async fn check_untouched(cast: &Cast, material: &SingleUseInputs) -> Result<(), String> {
    let account = cast.request(Method::GET, "/account").header("cookie", material.browser.header());
    let account = Reply::to(account).await.status;
    let path = format!("/api/v1/profile/{}", cast.owner.user_id);
    let personal = cast.bearer(Credential::PersonalToken, domain::scope::Scope::Profile).expect("token");
    let by_app = Reply::to(cast.request(Method::GET, &path).bearer_auth(cast.best_token())).await.status;
    let by_person = Reply::to(cast.request(Method::GET, &path).bearer_auth(personal)).await.status;
    let found = [account, by_app, by_person];
    if found == [200; 3] { Ok(()) } else { Err(format!("a refusal had an effect: {found:?}")) }
}

fn served(reply: &Reply, good: Good) -> Result<(), String> {
    match good {
        Good::Status(expected) => status(reply, expected),
        Good::SeeOther(places) => redirected(reply, places),
    }
}

fn status(reply: &Reply, expected: u16) -> Result<(), String> {
    if reply.status == expected { Ok(()) } else { Err(format!("status {}", reply.status)) }
}

fn redirected(reply: &Reply, places: &[&str]) -> Result<(), String> {
    let location = reply.header("location").unwrap_or_default();
    let fits = reply.status == 303 && places.iter().any(|place| location.starts_with(place));
    if fits { Ok(()) } else { Err(format!("status {} to {location:?}", reply.status)) }
}

fn refused(reply: &Reply, fault: Fault, audience: Audience) -> Result<(), String> {
    let row = fault.row();
    let reported = match audience {
        Audience::Client => member(reply, "error") == row.oauth_error(),
        Audience::AnyForm | Audience::Person | Audience::PersonsForm | Audience::PersonsKeptForm(_) => {
            reply.body.contains(row.title)
        }
        Audience::Anyone | Audience::Reader(_) | Audience::ReaderOfAny | Audience::Writer(_) => {
            member(reply, "code") == row.code
        }
        Audience::Assistant => reply.body.contains(&format!("\"code\":\"{}\"", row.code)),
    };
    if reply.status == row.status && reported { Ok(()) } else { Err(format!("status {}", reply.status)) }
}

fn member(reply: &Reply, name: &str) -> String {
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    body[name].as_str().unwrap_or_default().to_owned()
}

/// Checks that a rejected request gets no session and no token.
fn assert_indistinguishable(reply: &Reply, outcome: Outcome) -> Result<(), String> {
    let sets_session = reply
        .headers
        .get_all("set-cookie")
        .iter()
        .any(|cookie| cookie.as_bytes().starts_with(b"restwell_session"));
    let has_token = reply.body.contains("access_token\"") || reply.body.contains("rwp_");
    if outcome != Outcome::Served && (sets_session || has_token) {
        return Err("something is given away".to_owned());
    }
    Ok(())
}
