//! Web pages of a client.

use url::Url;

/// Why an address of a web page is invalid; shown to the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the page must be an https URL without a user name, of printable ASCII, at most 500 characters")]
pub struct InvalidWebPage;

/// Address of a public web page: an absolute https URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage(String);

impl WebPage {
    const MAX_BYTES: usize = 500;

    /// Parses an address.
    pub fn parse(text: &str) -> Result<Self, InvalidWebPage> {
        let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if text.len() > Self::MAX_BYTES || !is_printable || !text.starts_with("https://") {
            return Err(InvalidWebPage);
        }
        let url = Url::parse(text).map_err(|_| InvalidWebPage)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        (url.has_host() && !has_user).then(|| Self(url.into())).ok_or(InvalidWebPage)
    }

    /// Returns the normalised URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Web pages of a client that the consent page links to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientPages {
    /// Home page; `None` if not registered.
    pub home: Option<WebPage>,
    /// Privacy policy; `None` if not registered.
    pub privacy_policy: Option<WebPage>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_an_https_url() {
        assert_eq!(
            WebPage::parse("https://Owl.example/privacy?a=1#b").unwrap().as_str(),
            "https://owl.example/privacy?a=1#b"
        );
        let long = format!("https://owl.example/{}", "x".repeat(481));
        for text in [
            "",
            "owl.example",
            "http://owl.example/",
            "javascript:alert(1)",
            "HTTPS://owl.example/",
            "https://",
            "https:///",
            "https://sam@owl.example/",
            "https://sam:secret@owl.example/",
            "https://owl.example/a b",
            "https://owl.example/\n",
            "https://owl.example\\@evil.example/",
            &long,
        ] {
            assert_eq!(WebPage::parse(text), Err(InvalidWebPage), "{text}");
        }
    }
}
