//! Redirect URIs (RFC 6749 section 3.1.2, RFC 9700 section 4.1).

use url::{Host, Url};

/// Why a redirect URI is invalid (security.md T21); shown to operators and developers after its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    /// Not an absolute URI, or not made of URI characters.
    #[error(
        "must be an absolute URI of printable ASCII without spaces, backslashes or wildcards, at most 2000 characters"
    )]
    NotAbsolute,
    /// Neither https nor loopback http.
    #[error("must be https, or http on a loopback host (127.0.0.1, [::1], localhost)")]
    Scheme,
    /// The host is not spelled as a browser shows it, such as `127.1` or `2130706433`, or is a name with
    /// characters that separate directives of a content security policy.
    #[error(
        "must spell out its host: a name of letters, digits, hyphens, underscores and dots, or \
         an address like 127.0.0.1 or [::1], not shortened, as a number or percent-encoded"
    )]
    Host,
    /// Port 0.
    #[error("must not use port 0")]
    Port,
    /// Has a fragment, which RFC 6749 section 3.1.2 forbids.
    #[error("must not have a fragment")]
    Fragment,
    /// Has a user name or password.
    #[error("must not have a user name or password")]
    UserInfo,
    /// Has a query parameter that the authorization response uses.
    #[error(
        "must not contain a parameter of the authorization response (code, state, iss, error, error_description)"
    )]
    ReservedParameter,
}

/// Hosts whose port a public app may choose (RFC 8252 section 7.3).
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// A registered redirect URI, compared as a plain string and never normalised (RFC 9700 section 4.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RedirectUri(String);

impl RedirectUri {
    /// Parses a URI for registration.
    pub fn parse(text: &str) -> Result<Self, InvalidRedirectUri> {
        let printable = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\' && b != b'*');
        if text.len() > 2000 || !printable {
            return Err(InvalidRedirectUri::NotAbsolute);
        }
        let url = Url::parse(text).map_err(|_| InvalidRedirectUri::NotAbsolute)?;
        if !is_allowed_scheme(&url) {
            return Err(InvalidRedirectUri::Scheme);
        }
        // Check the text too: the URL parser repairs `https:host` and drops an empty `#` or `@`.
        let after_scheme = text.get(url.scheme().len()..).and_then(|text| text.strip_prefix("://"));
        let rest = after_scheme.ok_or(InvalidRedirectUri::NotAbsolute)?;
        if text.contains('#') {
            return Err(InvalidRedirectUri::Fragment);
        }
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if authority.is_empty() {
            return Err(InvalidRedirectUri::NotAbsolute);
        }
        if authority.contains('@') {
            return Err(InvalidRedirectUri::UserInfo);
        }
        // The URL parser turns `127.1` and `2130706433` into 127.0.0.1; other parsers may not.
        let is_as_written = host_in(authority).eq_ignore_ascii_case(url.host_str().unwrap_or_default());
        if !is_as_written || matches!(url.host(), Some(Host::Domain(name)) if !name.bytes().all(is_of_name)) {
            return Err(InvalidRedirectUri::Host);
        }
        if url.port() == Some(0) {
            return Err(InvalidRedirectUri::Port);
        }
        if url.query_pairs().any(|(name, _)| is_reserved(&name)) {
            return Err(InvalidRedirectUri::ReservedParameter);
        }
        Ok(Self(text.to_owned()))
    }

    /// Parses stored URIs. Skips those whose host or port only earlier versions allowed.
    pub fn parse_stored(texts: &[String]) -> Result<Vec<Self>, InvalidRedirectUri> {
        let parsed = texts.iter().map(|text| Self::parse(text));
        parsed
            .filter(|uri| !matches!(uri, Err(InvalidRedirectUri::Host | InvalidRedirectUri::Port)))
            .collect()
    }

    /// Returns the URI as registered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host as a browser shows it (lower case, Punycode), without a port.
    pub fn host(&self) -> String {
        self.url().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Returns the host; with the port on a loopback host, the only kind that is allowed over http.
    pub fn site(&self) -> String {
        let port = self.url().filter(|url| url.scheme() == "http").and_then(|url| url.port());
        port.map_or_else(|| self.host(), |port| format!("{}:{port}", self.host()))
    }

    /// Returns whether the URI leads to a program on the person's computer (RFC 8252 section 7.3), over http
    /// or https. No domain proves which program that is.
    pub fn is_loopback(&self) -> bool {
        self.url().is_some_and(|url| is_loopback(&url))
    }

    /// Returns whether both are loopback URIs that are equal except for their ports.
    pub(super) fn equals_except_loopback_port(&self, other: &Self) -> bool {
        self.loopback_parts().is_some_and(|parts| other.loopback_parts() == Some(parts))
    }

    /// Splits a loopback URI of the usual spelling into its host and the part after the port; `None` for any
    /// other URI.
    fn loopback_parts(&self) -> Option<(&str, &str)> {
        let (host, rest) = LOOPBACK_HOSTS
            .into_iter()
            .find_map(|host| Some((host, self.0.strip_prefix("http://")?.strip_prefix(host)?)))?;
        let rest = match rest.strip_prefix(':') {
            Some(port) if port.starts_with(|c: char| c.is_ascii_digit()) => {
                port.trim_start_matches(|c: char| c.is_ascii_digit())
            }
            Some(_) => return None,
            None => rest,
        };
        (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((host, rest))
    }

    /// Returns the origin (RFC 6454 section 6.2): scheme, host, and a non-default port.
    pub fn origin(&self) -> String {
        self.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }

    /// Parses the URI again; this succeeded at registration.
    fn url(&self) -> Option<Url> {
        Url::parse(&self.0).ok()
    }
}

/// Returns whether the host of a URL is the person's computer.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        // All names below `localhost` are loopback (RFC 6761 section 6.3).
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn is_allowed_scheme(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.host().is_some(),
        "http" => match url.host() {
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        },
        _ => false,
    }
}

/// Returns whether the name of a host may contain this byte.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Returns the host of an authority as written, with the brackets of an IPv6 address.
fn host_in(authority: &str) -> &str {
    let end = authority.find(']').map_or_else(|| authority.find(':'), |at| Some(at.saturating_add(1)));
    end.and_then(|end| authority.get(..end)).unwrap_or(authority)
}

fn is_reserved(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "code" | "state" | "iss" | "error" | "error_description")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// MCP 2026-07-28, Security Considerations, Communication Security.
    #[test]
    fn https_and_loopback_http_are_registered_as_written() {
        for text in [
            "https://app.example.org/callback",
            "https://app.example.org:8443/cb?tenant=1",
            "http://127.0.0.1:9000/cb",
            "http://[::1]/cb",
            "http://localhost:3000",
        ] {
            assert_eq!(RedirectUri::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn every_spelling_of_a_loopback_host_is_recognized() {
        for text in [
            "http://127.0.0.1:9000/cb",
            "HTTP://127.0.0.1:9000/cb",
            "http://127.0.0.2:9000/cb",
            "http://LOCALHOST:9000/cb",
            "http://[::1]/cb",
            "https://localhost/cb",
            "https://LOCALHOST./cb",
            "https://owl.localhost/cb",
            "https://127.0.0.1:9000/cb",
            "https://[::1]/cb",
        ] {
            assert!(RedirectUri::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in ["https://app.example.org/cb", "https://localhost.example/cb", "https://notlocalhost/cb"]
        {
            assert!(!RedirectUri::parse(text).unwrap().is_loopback(), "{text}");
        }
    }

    #[test]
    fn the_site_of_a_loopback_address_has_its_port() {
        for (text, site) in [
            ("https://app.example.org:8443/cb", "app.example.org"),
            ("http://127.0.0.1:9000/cb", "127.0.0.1:9000"),
            ("http://[::1]:9000/cb", "[::1]:9000"),
            ("http://localhost/cb", "localhost"),
        ] {
            assert_eq!(RedirectUri::parse(text).unwrap().site(), site, "{text}");
        }
    }

    /// MCP 2026-07-28, Security Considerations, Communication Security.
    #[test]
    fn dangerous_uris_are_refused_each_with_its_reason() {
        use InvalidRedirectUri as E;
        for (text, reason) in [
            ("", E::NotAbsolute),
            ("/callback", E::NotAbsolute),
            ("//app.example.org/cb", E::NotAbsolute),
            ("https:app.example.org", E::NotAbsolute),
            ("https:user@app.example.org://app.example.org", E::NotAbsolute),
            ("https:/app.example.org/cb?next=://x", E::NotAbsolute),
            ("https:///cb", E::NotAbsolute),
            ("https://*.example.org/cb", E::NotAbsolute),
            ("https://app.example.org/c b", E::NotAbsolute),
            ("https://app.example.org\\@evil.example/cb", E::NotAbsolute),
            ("https://\u{e4}pp.example.org/cb", E::NotAbsolute),
            ("http://app.example.org/cb", E::Scheme),
            ("http://127.0.0.1.evil.example/cb", E::Scheme),
            ("javascript://app.example.org/%0aalert(1)", E::Scheme),
            ("data:text/html,x", E::Scheme),
            ("ftp://app.example.org/cb", E::Scheme),
            ("https://app.example.org/cb#x", E::Fragment),
            ("https://app.example.org/cb#", E::Fragment),
            ("https://user@app.example.org/cb", E::UserInfo),
            ("https://@app.example.org/cb", E::UserInfo),
            ("http://127.1/", E::Host),
            ("http://127.0.1/", E::Host),
            ("http://2130706433/", E::Host),
            ("http://0x7f.1/", E::Host),
            ("http://0x7f000001:9000/cb", E::Host),
            ("http://0177.0.0.1/", E::Host),
            ("http://127.0.0.1./cb", E::Host),
            ("http://127.0.0.%31/cb", E::Host),
            ("http://localhos%74/cb", E::Host),
            ("http://[0:0:0:0:0:0:0:1]/cb", E::Host),
            ("https://2130706433/cb", E::Host),
            ("https://app.ex%61mple.org/cb", E::Host),
            ("https://app.example.org;sandbox/cb", E::Host),
            ("https://app.example.org,evil.example/cb", E::Host),
            ("https://'none'/cb", E::Host),
            ("https://a$b&c(d)/cb", E::Host),
            ("http://127.0.0.1:0/cb", E::Port),
            ("http://[::1]:00/cb", E::Port),
            ("https://app.example.org:0/cb", E::Port),
            ("https://app.example.org/cb?code=1", E::ReservedParameter),
            ("https://app.example.org/cb?a=1&st%61te=2", E::ReservedParameter),
            ("https://app.example.org/cb?iss", E::ReservedParameter),
            ("https://app.example.org/cb?Error=x", E::ReservedParameter),
            ("https://app.example.org/cb?a=1&error%5Fdescription=2", E::ReservedParameter),
        ] {
            assert_eq!(RedirectUri::parse(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn a_reason_follows_the_name_of_the_uri() {
        for text in [
            "",
            "http://a.example",
            "http://127.1/",
            "http://127.0.0.1:0/",
            "https://a.example/#",
            "https://a@b.example/",
        ] {
            let reason = RedirectUri::parse(text).unwrap_err().to_string();
            assert!(reason.starts_with("must ") && !reason.contains("redirect URI"), "{reason}");
        }
    }

    #[test]
    fn stored_uris_that_are_now_refused_are_omitted_and_corrupt_ones_reported() {
        let stored = |texts: &[&str]| {
            RedirectUri::parse_stored(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        let good = "https://app.example.org/cb";
        let left = stored(&["http://127.1/", good, "http://127.0.0.1:0/"]);
        assert_eq!(left, Ok(vec![RedirectUri::parse(good).unwrap()]));
        assert_eq!(stored(&[good, "ftp://x"]), Err(InvalidRedirectUri::Scheme));
    }

    #[test]
    fn host_and_origin_are_those_that_a_browser_sees() {
        for (text, host, origin) in [
            ("https://app.example.org/callback?x=1", "app.example.org", "https://app.example.org"),
            ("https://APP.example.org:443/", "app.example.org", "https://app.example.org"),
            ("https://app.example.org:8443/cb", "app.example.org", "https://app.example.org:8443"),
            ("http://127.0.0.1:9000/cb", "127.0.0.1", "http://127.0.0.1:9000"),
            ("http://[::1]/cb", "[::1]", "http://[::1]"),
        ] {
            let uri = RedirectUri::parse(text).unwrap();
            assert_eq!((uri.host().as_str(), uri.origin().as_str()), (host, origin));
        }
    }

    proptest! {
        // T21
        #[test]
        fn a_registered_uri_is_kept_as_written_and_opens_the_host_it_shows(
            scheme in "(https|http|HTTPS|ftp)",
            separator in r"(://|:|:///|:\\/)",
            user in "([a-z]{0,3}[@:])?",
            host in r"(owl\.example|localhost|127\.0\.0\.[0-9]|\[::1\]|2130706433|[a-z0-9.%-]{0,8})",
            port in "(:[0-9]{0,5})?",
            rest in r"(://)?[/?#&=%a-e0-9\\@.;:*]{0,20}",
        ) {
            let text = format!("{scheme}{separator}{user}{host}{port}{rest}");
            if let Ok(uri) = RedirectUri::parse(&text) {
                prop_assert_eq!(uri.as_str(), text.as_str());
                let url = Url::parse(&text).unwrap();
                let loopback = ["localhost", "[::1]"].contains(&uri.host().as_str()) || uri.host().starts_with("127.");
                prop_assert!(url.scheme() == "https" || loopback, "{}", text);
                prop_assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
                prop_assert!(text.to_ascii_lowercase().starts_with(&format!("{}://", url.scheme())), "{}", text);
                prop_assert!(uri.host().parse::<std::net::Ipv4Addr>().is_err() || text.contains(&uri.host()), "{}", text);
                prop_assert!(url.port() != Some(0), "{}", text);
                prop_assert!(user.is_empty() || !text.contains('@') || rest.contains('@'), "{}", text);
            }
        }
    }
}
