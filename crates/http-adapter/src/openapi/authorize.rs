//! The operation `GET /authorize`. Its handler is in `page-adapter`, which depends on this crate.

use crate::problem::error_responses;
use crate::route::Endpoint;
use utoipa::OpenApi;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

/// `OpenAPI` operation of this module.
#[derive(OpenApi)]
#[openapi(paths(authorize), modifiers(&AuthorizationErrors))]
pub(super) struct AuthorizeApi;

error_responses! {
    /// Errors that the person sees, because the app or its redirect URI cannot be verified.
    AuthorizationErrors = Page "Authorization": [
        InvalidAuthorizationRequest TooManyAttempts Busy StorageUnavailable Overloaded TooManyAtOnce
    ];
}

/// Declares schemas of texts with one valid value, or a few.
macro_rules! fixed_texts {
    ($($name:ident = [$($text:literal)+];)+) => {$(
        struct $name;

        impl utoipa::ToSchema for $name {}

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
                text.enum_values(Some([$($text),+])).into()
            }
        }
    )+};
}

fixed_texts! {
    ResponseType = ["code"];
    ChallengeMethod = ["S256"];
    ResponseMode = ["query"];
}

/// Parameters of an authorization request.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "page-adapter reads the parameters")]
struct AuthorizeParameters {
    /// Always `code`.
    #[param(value_type = ResponseType, inline)]
    response_type: String,
    /// The app: its id, or the https URL of its metadata document.
    client_id: String,
    /// Exactly as registered, except for the port of a public app's loopback address.
    redirect_uri: String,
    /// Scopes separated by spaces; if absent, all that the app is registered for and a person can grant.
    scope: Option<String>,
    /// Returned unchanged; at most 2 KiB. Bind it to the person's browser.
    state: Option<String>,
    /// The challenge of PKCE (RFC 7636); required of public apps.
    #[param(pattern = "^[A-Za-z0-9_-]{43}$")]
    code_challenge: Option<String>,
    /// Required with `code_challenge`.
    #[param(value_type = Option<ChallengeMethod>, inline)]
    code_challenge_method: Option<String>,
    /// The resource to access (RFC 8707): the server's address (default), or that address with `/mcp`.
    resource: Option<String>,
    /// `none`, `login`, `select_account` or `consent`, separated by spaces.
    prompt: Option<String>,
    /// The person's email address, which prefills the field.
    login_hint: Option<String>,
    /// Always `query`.
    #[param(value_type = Option<ResponseMode>, inline)]
    response_mode: Option<String>,
}

/// Asks a person to authorize an app
///
/// For the person's browser, as a top-level page: the app redirects there, and the person signs in and
/// decides. The browser then returns to `redirect_uri` with `code`, `state` and `iss`, or with `error`,
/// `error_description`, `state` and `iss`. If the app or its redirect URI cannot be verified, the person gets
/// an error page, and the app gets nothing.
#[utoipa::path(
    get, path = Endpoint::Authorize.path(), tag = "tokens", operation_id = "authorize",
    params(AuthorizeParameters),
    responses(
        (
            status = 303,
            description = "Redirects to the sign-in or consent page, or back to the app.",
            headers(
                (
                    "Location" = String,
                    description = "`/sign-in`, `/consent`, or `redirect_uri` with the response."
                ),
                ("Set-Cookie" = String, description = "Ties the request to this browser."),
            ),
        ),
        AuthorizationErrors,
    ),
)]
#[expect(dead_code, reason = "placeholder for the handler in page-adapter")]
const fn authorize() {}
