//! Errors for people: the page of a problem, and the reference of error codes.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, write_policy};
use crate::view::View as _;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, HttpResponseBuilder};
use domain::counted;
use http_adapter::Endpoint;
use http_adapter::problem::{ErrorEntry, ErrorPages, ErrorText, Fault, Problem};
use std::borrow::Cow;

/// Renders errors as pages.
pub const ERROR_PAGES: ErrorPages = ErrorPages { problem, reference };

/// Completes the response to a problem with a page, or with plain text if rendering fails.
fn problem(mut response: HttpResponseBuilder, text: ErrorText<'_>) -> HttpResponse {
    let (title, detail) = words(text);
    let (advice, link) = way_out(text);
    let message = crate::view::Message {
        title,
        text: &detail,
        advice,
        link,
        request_id: Some(text.request_id),
        contact: text.settings.and_then(|settings| settings.operator.contact.as_deref()),
    };
    let html = message.render().unwrap_or_else(|_| text.title.to_owned());
    let mut response = response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(html);
    write_policy(response.headers_mut(), None);
    response
}

const HOME: crate::view::Link =
    crate::view::Link { path: Endpoint::Home.path(), text: "Go to the home page" };

const NEW_PASSWORD: crate::view::Link =
    crate::view::Link { path: Endpoint::ForgotPassword.path(), text: "Send me a link for a new password" };

const CHOOSE_NEW: &str = "If you forgot your password, choose a new one.";
const ASK_FOR_LINK: &str =
    "If you forgot your password, ask the operator of this server for a link to choose a new one.";

/// Returns what else helps, and a link to it. A new password does not end every wait: the limit may count the
/// network address.
fn way_out(text: ErrorText<'_>) -> (Option<&'static str>, Option<crate::view::Link>) {
    match (text.fault, text.settings) {
        (Fault::NotFound | Fault::InvalidForm, _) => (None, Some(HOME)),
        (Fault::TooManyAttempts, _) if text.endpoint != Some(Endpoint::SignIn) => (None, None),
        (Fault::TooManyAttempts, Some(settings)) if settings.sends_mail => {
            (Some(CHOOSE_NEW), Some(NEW_PASSWORD))
        }
        (Fault::TooManyAttempts, _) => (Some(ASK_FOR_LINK), None),
        _ => (None, None),
    }
}

/// Returns the title and text of an error; errors that developers see too have other words here.
fn words(text: ErrorText<'_>) -> (&str, Cow<'_, str>) {
    if let Fault::TooManyAttempts | Fault::TooManyFailures | Fault::RateLimited = text.fault {
        let wait = wait_in_words(text.retry_after_seconds.unwrap_or_default());
        let is_special = text.fault == Fault::TooManyAttempts && text.detail != text.fault.row().meaning;
        let cause = if is_special { text.detail } else { "There were too many attempts in a short time." };
        return (text.title, format!("{cause} Try again in {wait}.").into());
    }
    let (title, detail) = fixed_words(text);
    (title, detail.into())
}

/// Formats a wait in whole minutes, or in whole hours from two hours on, rounded up.
fn wait_in_words(seconds: u32) -> String {
    match seconds.div_ceil(60).max(1) {
        minutes @ ..120 => counted(minutes, "minute"),
        minutes => counted(minutes.div_ceil(60), "hour"),
    }
}

const fn fixed_words(text: ErrorText<'_>) -> (&str, &str) {
    match text.fault {
        Fault::NotFound => {
            ("Page not found", "There is no page at this address. Check the address for typos.")
        }
        Fault::InvalidForm => (
            "This link or form is not valid",
            "It contains a value that this page does not accept. Open the page again from the home page.",
        ),
        Fault::MethodNotAllowed => (
            "This page cannot be opened directly",
            "This address only accepts a submitted form. Go back and use the form.",
        ),
        Fault::StorageUnavailable
        | Fault::Busy
        | Fault::IngestBusy
        | Fault::Overloaded
        | Fault::TooManyAtOnce
        | Fault::RequestInProgress
        | Fault::NotReady => (
            "Please try again in a moment",
            "The server is busy or cannot reach its storage. What you sent may not have been saved.",
        ),
        _ => (text.title, text.detail),
    }
}

fn reference(errors: Vec<ErrorEntry>) -> Result<HttpResponse, Problem> {
    page(StatusCode::OK, &view::Errors { errors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::to_bytes;
    use actix_web::http::header::CONTENT_SECURITY_POLICY;
    use http_adapter::problem::Fault;
    use http_adapter::{HttpSettings, Operator};

    async fn page_of(fault: Fault) -> String {
        let row = fault.row();
        page_of_text(ErrorText {
            fault,
            title: row.title,
            detail: row.meaning,
            request_id: "r1",
            retry_after_seconds: Some(540),
            endpoint: None,
            settings: None,
        })
        .await
    }

    async fn page_of_text(text: ErrorText<'_>) -> String {
        let response = problem(HttpResponseBuilder::new(StatusCode::NOT_FOUND), text);
        String::from_utf8(to_bytes(response.into_body()).await.unwrap_or_default().to_vec()).unwrap()
    }

    #[actix_web::test]
    async fn errors_of_developers_have_words_for_people_and_a_way_out() {
        let missing = page_of(Fault::NotFound).await;
        assert!(missing.contains("Page not found") && missing.contains("href=\"/\""), "{missing}");
        let invalid = page_of(Fault::InvalidForm).await;
        assert!(
            invalid.contains("This link or form is not valid") && invalid.contains("href=\"/\""),
            "{invalid}"
        );
        let method = page_of(Fault::MethodNotAllowed).await;
        assert!(!method.contains("Allow header") && method.contains("use the form"), "{method}");
        let storage = page_of(Fault::StorageUnavailable).await;
        assert!(!storage.contains("Retry-After") && storage.contains("try again"), "{storage}");
        assert!(page_of(Fault::ForeignForm).await.contains(Fault::ForeignForm.row().meaning));
    }

    #[actix_web::test]
    async fn no_error_page_names_a_header() {
        for fault in Fault::ALL {
            let html = page_of(*fault).await;
            for header in ["Retry-After", "Allow header"] {
                assert!(!html.contains(header), "{fault:?}: {html}");
            }
        }
    }

    #[actix_web::test]
    async fn a_page_about_too_many_sign_ins_says_how_long_and_what_else_helps() {
        let operator = Operator { name: None, contact: Some("help@example.org".to_owned()) };
        let with_mail = HttpSettings { sends_mail: true, operator, ..HttpSettings::default() };
        let without_mail = HttpSettings { sends_mail: false, ..HttpSettings::default() };
        let row = Fault::TooManyAttempts.row();
        let text = ErrorText {
            fault: Fault::TooManyAttempts,
            title: row.title,
            detail: row.meaning,
            request_id: "r1",
            retry_after_seconds: Some(541),
            endpoint: Some(Endpoint::SignIn),
            settings: Some(&with_mail),
        };
        let html = page_of_text(text).await;
        for expected in ["Try again in 10 minutes.", "href=\"/forgot-password\"", "mailto:help@example.org"] {
            assert!(html.contains(expected), "{html}");
        }
        // The limit may be that of the address, which a new password does not lift.
        assert!(html.contains("choose a new one.") && !html.contains("need not wait"), "{html}");
        let bare = page_of_text(ErrorText { settings: Some(&without_mail), ..text }).await;
        assert!(bare.contains("ask the operator") && !bare.contains("href=\"/forgot-password\""), "{bare}");
        // A new password does not end the wait for a link.
        let link = page_of_text(ErrorText { endpoint: Some(Endpoint::ForgotPassword), ..text }).await;
        assert!(!link.contains("href=\"/forgot-password\""), "{link}");
        let sent =
            ErrorText { detail: "Nothing was sent.", endpoint: Some(Endpoint::TestOwnWebhook), ..text };
        assert!(page_of_text(sent).await.contains("Nothing was sent. Try again in 10 minutes."));
    }

    #[test]
    fn a_wait_is_rounded_up_to_minutes_or_hours() {
        for (seconds, words) in [
            (0, "1 minute"),
            (60, "1 minute"),
            (61, "2 minutes"),
            (7_140, "119 minutes"),
            (7_141, "2 hours"),
            (86_400, "24 hours"),
        ] {
            assert_eq!(wait_in_words(seconds), words);
        }
    }

    #[actix_web::test]
    async fn the_reference_has_an_anchor_for_every_code_and_no_log_levels() {
        let entries = Fault::ALL.iter().map(|fault| ErrorEntry::from(fault.row())).collect();
        let response = reference(entries).unwrap();
        assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "text/html; charset=utf-8");
        assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
        let body = to_bytes(response.into_body()).await.unwrap_or_default();
        let html = std::str::from_utf8(&body).unwrap();
        for fault in Fault::ALL {
            let anchor = format!(" id=\"{}\"", fault.row().code);
            assert_eq!(html.matches(&anchor).count(), 1, "{anchor}");
        }
        for word in ["Debug", "Warn", "log level", "\"level\""] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
