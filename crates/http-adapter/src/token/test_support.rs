//! The parser of client credentials.

use super::credentials::{Credentials, Header, read_header};
use crate::problem::Problem;
use actix_web::HttpRequest;

/// Returns the id and the secret in `Authorization`; `None` if there is no header or another scheme.
pub fn basic_credentials(request: &HttpRequest) -> Result<Option<(String, String)>, Problem> {
    Ok(match read_header(request)? {
        Header::Basic(Credentials { client_id, client_secret, by_header: _ }) => {
            client_secret.map(|secret| (client_id, secret))
        }
        Header::Absent | Header::Other => None,
    })
}
