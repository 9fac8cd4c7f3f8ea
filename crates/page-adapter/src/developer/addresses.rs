//! Addresses that an app needs, and a link to its consent page.

use super::view::AppAddresses;
use domain::client::Client;
use http_adapter::Endpoint;
use url::form_urlencoded::Serializer;

/// Challenge of 32 zero bytes. Nobody knows its verifier, so a code of the link cannot be redeemed.
const CHALLENGE: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Returns the addresses on a server with this public URL.
pub(super) fn addresses(public_url: &str, client: &Client) -> AppAddresses {
    let base = public_url.trim_end_matches('/');
    let address = |endpoint: Endpoint| format!("{base}{}", endpoint.path());
    AppAddresses {
        authorization: address(Endpoint::Authorize),
        token: address(Endpoint::Token),
        metadata: address(Endpoint::Metadata),
        consent: consent(client),
    }
}

/// Returns the path of a request for all scopes of the app. It shows the consent page even if the consent of
/// the person is remembered.
fn consent(client: &Client) -> Option<String> {
    let redirect_uri = client.redirect_uris.first()?;
    let mut query = Serializer::new(String::new());
    query.append_pair("response_type", "code");
    query.append_pair("client_id", &client.id.to_string());
    query.append_pair("redirect_uri", redirect_uri.as_str());
    query.append_pair("code_challenge", CHALLENGE).append_pair("code_challenge_method", "S256");
    query.append_pair("prompt", "consent");
    Some(format!("{}?{}", Endpoint::Authorize.path(), query.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::code::PkceChallenge;

    #[test]
    fn the_challenge_is_valid_and_made_of_zero_bytes() {
        assert_eq!(PkceChallenge::parse(CHALLENGE), Ok(PkceChallenge::from_bytes([0; 32])));
    }
}
