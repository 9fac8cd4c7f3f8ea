//! Resources that an access token can be for (RFC 8707): its audience.

use std::borrow::Cow;

/// The URI is neither that of the API nor that of the MCP endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the resource is unknown")]
pub struct UnknownResource;

crate::named_enum! {
    /// A protected resource of this server. A token is accepted only at the one that is its audience.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Resource {
        /// The data endpoints, at the public URL. The default, without the parameter `resource`.
        #[default]
        Api = "api",
        /// The MCP endpoint, at `/mcp`.
        Mcp = "mcp",
    }
}

impl Resource {
    /// Parses the value of `resource`: an identifier of [`Self::uri`], or that with one more slash. Compared
    /// exactly (RFC 8707 section 2, RFC 3986 section 6.2.1).
    pub fn from_uri(text: &str, public_url: &str) -> Result<Self, UnknownResource> {
        let text = text.strip_suffix('/').unwrap_or(text);
        Self::ALL.into_iter().find(|resource| resource.uri(public_url) == text).ok_or(UnknownResource)
    }

    /// Returns the identifier, which is the `aud` of access tokens. The public URL has no path.
    pub fn uri(self, public_url: &str) -> Cow<'_, str> {
        match self {
            Self::Api => Cow::Borrowed(public_url),
            Self::Mcp => Cow::Owned(format!("{public_url}/mcp")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const URL: &str = "https://owl.example:8443";

    fn parse(text: &str) -> Option<Resource> {
        Resource::from_uri(text, URL).ok()
    }

    /// RFC 8707 section 2.
    #[test]
    fn the_api_and_the_mcp_endpoint_are_known_with_and_without_one_trailing_slash() {
        assert_eq!(parse("https://owl.example:8443"), Some(Resource::Api));
        assert_eq!(parse("https://owl.example:8443/"), Some(Resource::Api));
        assert_eq!(parse("https://owl.example:8443/mcp"), Some(Resource::Mcp));
        assert_eq!(parse("https://owl.example:8443/mcp/"), Some(Resource::Mcp));
        for resource in Resource::ALL {
            assert_eq!(parse(&resource.uri(URL)), Some(resource));
        }
    }

    /// RFC 8707 section 2.
    #[test]
    fn every_other_uri_is_unknown() {
        for text in [
            "",
            "/",
            "/mcp",
            "api",
            "mcp",
            "https://owl.example",
            "http://owl.example:8443",
            "https://OWL.example:8443",
            "https://owl.example:8443//",
            "https://owl.example:8443/mcp//",
            "https://owl.example:8443//mcp",
            "https://owl.example:8443/MCP",
            "https://owl.example:8443/api",
            "https://owl.example:8443/mcp?x=1",
            "https://owl.example:8443/mcp#f",
            "https://owl.example:8443/%6dcp",
            "https://owl.example:8443.evil.example",
            " https://owl.example:8443",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_known_uri_is_an_identifier_with_at_most_one_slash_more(suffix in "[/mcp?#%a]{0,8}") {
            let text = format!("{URL}{suffix}");
            let expected = match suffix.as_str() {
                "" | "/" => Some(Resource::Api),
                "/mcp" | "/mcp/" => Some(Resource::Mcp),
                _ => None,
            };
            prop_assert_eq!(parse(&text), expected);
        }
    }
}
