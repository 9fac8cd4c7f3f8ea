//! The section `cors`.

use super::problem::Problem;
use super::section::section;
use super::text_list::TextList;
use domain::client::is_loopback;
use url::Url;

section! {
    /// Browser apps at other origins that may get tokens and read data.
    CorsSettings("cors") {
        /// Allowed origins; `*` is rejected.
        allowed_origins: TextList = Some(""), "list of origins, comma-separated in the environment", "https://app.example.org";
    }
}

impl CorsSettings {
    /// Returns the first allowed origin that is on the person's own computer.
    pub(crate) fn loopback_origin(&self) -> Option<&str> {
        let is_local = |origin: &&str| Url::parse(origin).is_ok_and(|url| is_loopback(&url));
        self.allowed_origins.0.iter().map(String::as_str).find(is_local)
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let numbered = self.allowed_origins.0.iter().zip(1_usize..);
        let wrong = numbered.filter(|(origin, _)| !is_origin(origin));
        wrong
            .map(|(_, number)| {
                let text = format!(
                    "entry {number} is not an origin; write https://host[:port] without a trailing slash"
                );
                Problem::new("cors.allowed_origins", text)
            })
            .collect()
    }
}

/// Returns whether a text is an origin in exactly the form that browsers send.
fn is_origin(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_origin_on_the_persons_computer_is_found_in_any_spelling() {
        for local in ["http://localhost:3000", "http://LOCALHOST.", "https://owl.localhost", "http://[::1]:1"]
        {
            let all = ["https://app.example.org", local].map(str::to_owned);
            let settings = CorsSettings { allowed_origins: TextList(all.into()) };
            assert_eq!(settings.loopback_origin(), Some(local));
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        assert!(is_origin("https://app.example.org"));
        assert!(is_origin("http://localhost:3000"));
        for text in [
            "*",
            "null",
            "https://app.example.org/",
            "https://APP.example.org",
            "app.example.org",
            "https://a:443",
        ] {
            assert!(!is_origin(text), "{text}");
        }
    }
}
