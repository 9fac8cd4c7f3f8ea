//! Client credentials: HTTP Basic, or the parameters `client_id` and `client_secret`. If both are present
//! they must agree (RFC 6749 section 2.3).

use super::parameters::{TokenParameters, missing};
use crate::parameter::{check_value, decode_component};
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose};

/// Some clients omit the padding.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, PAD.with_decode_padding_mode(DecodePaddingMode::Indifferent));

/// Credentials of a request. No `Debug`: they contain a secret.
pub(super) struct Credentials {
    pub(super) client_id: String,
    /// `None` for a public app.
    pub(super) client_secret: Option<String>,
    /// Whether they were in `Authorization`; a 401 then carries a challenge.
    pub(super) by_header: bool,
}

/// Contents of `Authorization`.
pub(super) enum Header {
    /// There is no such header.
    Absent,
    /// HTTP Basic.
    Basic(Credentials),
    /// Another scheme, which authenticates no client.
    Other,
}

/// Parses `Authorization`. Checks its format only, before any other error is reported.
pub(super) fn read_header(request: &HttpRequest) -> Result<Header, Problem> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    match (headers.next(), headers.next()) {
        (None, _) => Ok(Header::Absent),
        (Some(only), None) => read_basic(only),
        (Some(_), Some(_)) => {
            Err(Problem::new(Fault::InvalidRequest).detail("Authorization must be given at most once"))
        }
    }
}

/// Selects the authentication method of the request.
pub(super) fn choose(header: Header, given: &TokenParameters) -> Result<Credentials, Problem> {
    match header {
        Header::Absent => Ok(Credentials {
            client_id: given.require("client_id")?.to_owned(),
            client_secret: given.get("client_secret").map(str::to_owned),
            by_header: false,
        }),
        Header::Basic(basic) => check_agreement(basic, given),
        Header::Other => Err(Problem::new(Fault::InvalidClient)
            .detail("the only Authorization scheme supported here is Basic")
            .with_basic_challenge(true)),
    }
}

/// Returns the client that a request names, which may be malformed otherwise.
pub(super) fn named_client(request: &HttpRequest, given: &TokenParameters) -> Option<String> {
    match read_header(request) {
        Ok(Header::Basic(basic)) => Some(basic.client_id),
        Ok(Header::Absent | Header::Other) | Err(_) => given.get("client_id").map(str::to_owned),
    }
}

/// Checks that parameters agree with the header: some clients repeat the id there.
fn check_agreement(basic: Credentials, given: &TokenParameters) -> Result<Credentials, Problem> {
    let agree = |name, own: Option<&str>| given.get(name).is_none_or(|other| own == Some(other));
    if agree("client_id", Some(&basic.client_id)) && agree("client_secret", basic.client_secret.as_deref()) {
        Ok(basic)
    } else {
        Err(Problem::new(Fault::InvalidRequest)
            .detail("the client credentials in Authorization and among the parameters disagree"))
    }
}

fn read_basic(header: &HeaderValue) -> Result<Header, Problem> {
    let malformed = || Problem::new(Fault::InvalidRequest).detail("the Basic credentials are malformed");
    let text = header.to_str().map_err(|_| malformed())?;
    let (scheme, encoded) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(Header::Other);
    }
    let bytes = BASE64.decode(encoded.trim()).map_err(|_| malformed())?;
    let pair = String::from_utf8(bytes).map_err(|_| malformed())?;
    let (id, secret) = pair.split_once(':').ok_or_else(malformed)?;
    let (client_id, client_secret) = (decode("client_id", id)?, decode("client_secret", secret)?);
    Ok(Header::Basic(Credentials { client_id, client_secret: Some(client_secret), by_header: true }))
}

/// Decodes the form encoding of RFC 6749 section 2.3.1. Unencoded values are unaffected: they contain no `%`
/// or `+`.
fn decode(name: &'static str, text: &str) -> Result<String, Problem> {
    let value =
        decode_component(text).map_err(|error| Problem::invalid_parameter(name, error.to_string()))?;
    if value.is_empty() {
        return Err(missing(name));
    }
    check_value(&value).map_err(|message| Problem::invalid_parameter(name, message))?;
    Ok(value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use base64::engine::general_purpose::{STANDARD as PADDED, STANDARD_NO_PAD as UNPADDED};
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    /// Returns id and secret; `None` if the header is rejected or has another scheme.
    fn basic(header: &str) -> Option<(String, String)> {
        let request = TestRequest::default().insert_header((AUTHORIZATION, header)).to_http_request();
        match read_header(&request) {
            Ok(Header::Basic(Credentials { client_id, client_secret, by_header: true })) => {
                Some((client_id, client_secret?))
            }
            _ => None,
        }
    }

    // T104
    proptest! {
        #[test]
        fn encoded_credentials_are_read_back(id in "[^\u{0}-\u{1f}]{1,20}", secret in "[^\u{0}-\u{1f}]{1,20}") {
            let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
            let pair = format!("{}:{}", encode(&id), encode(&secret));
            let expected = Some((id, secret));
            prop_assert_eq!(&basic(&format!("Basic {}", PADDED.encode(&pair))), &expected);
            prop_assert_eq!(&basic(&format!("bASIC  {} ", UNPADDED.encode(&pair))), &expected);
        }

        #[test]
        fn raw_credentials_are_split_at_the_first_colon(id in "[!-$&-*,-9;-~]{1,20}", secret in "[!-$&-*,-~]{1,20}") {
            prop_assert_eq!(basic(&format!("Basic {}", PADDED.encode(format!("{id}:{secret}")))), Some((id, secret)));
        }

        #[test]
        fn accepted_credentials_have_no_control_characters(pair in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some((id, secret)) = basic(&format!("Basic {}", PADDED.encode(pair))) {
                prop_assert!([&id, &secret].iter().all(|text| check_value(text).is_ok()));
            }
        }

        #[test]
        fn no_header_makes_the_reader_panic(text in "(Basic )?[ -~]{0,60}") {
            let _ = basic(&text);
        }
    }
}
