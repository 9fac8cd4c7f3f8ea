//! The header `Origin`, which protects a server on this machine from pages of other sites (DNS rebinding).

use actix_web::HttpRequest;
use actix_web::http::header::ORIGIN;
use http_adapter::HttpSettings;
use http_adapter::problem::{Fault, Problem};

/// Rejects a request of a page that belongs to another site. Programs send no `Origin`.
pub(crate) fn check(request: &HttpRequest, settings: &HttpSettings) -> Result<(), Problem> {
    let public = settings.public_url.trim_end_matches('/');
    let is_own = |origin: &[u8]| {
        let listed = settings.cors_allowed_origins.iter().map(String::as_str);
        listed.chain([public]).any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin))
    };
    if request.headers().get_all(ORIGIN).all(|origin| is_own(origin.as_bytes())) {
        return Ok(());
    }
    Err(Problem::new(Fault::ForeignOrigin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn is_accepted(origins: &[&str]) -> bool {
        let settings = HttpSettings {
            public_url: "https://restwell.example".to_owned(),
            cors_allowed_origins: vec!["https://app.example".to_owned()],
            ..HttpSettings::default()
        };
        let request = origins
            .iter()
            .fold(TestRequest::post(), |request, origin| request.append_header(("origin", *origin)));
        check(&request.to_http_request(), &settings).is_ok()
    }

    #[test]
    fn only_the_servers_and_listed_origins_are_accepted_2026_07_28_streamable_http_security_and_endpoint() {
        for origins in
            [&[][..], &["https://restwell.example"], &["HTTPS://Restwell.example"], &["https://app.example"]]
        {
            assert!(is_accepted(origins), "{origins:?}");
        }
        for origins in [
            &["null"][..],
            &[""],
            &["http://restwell.example"],
            &["https://restwell.example:8443"],
            &["https://restwell.example.evil.example"],
            &["https://evil-restwell.example"],
            &["https://evil.restwell.example"],
            &["https://restwell.example", "https://evil.example"],
        ] {
            assert!(!is_accepted(origins), "{origins:?}");
        }
    }
}
