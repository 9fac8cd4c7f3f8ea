//! Security schemes: how requests to the API are authorized.

use crate::example::PUBLIC_URL;
use crate::route::{Audience, Endpoint, EndpointRow};
use domain::scope::{Scope, ScopeSet};
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{
    AuthorizationCode, ClientCredentials, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes,
    SecurityRequirement, SecurityScheme,
};

/// Adds to the operations the scopes of the table of endpoints, any one of which grants access.
pub(super) fn add_requirements(document: &mut OpenApi) {
    for endpoint in Endpoint::ALL {
        let EndpointRow { path, get, post, put, delete, .. } = endpoint.row();
        let Some(item) = document.paths.paths.get_mut(path) else { continue };
        let methods =
            [(get, &mut item.get), (post, &mut item.post), (put, &mut item.put), (delete, &mut item.delete)];
        for (audience, operation) in methods {
            let scopes = match audience {
                Some(Audience::Reader(scope) | Audience::Writer(scope)) => ScopeSet::from_iter([scope]),
                Some(Audience::ReaderOfAny) => ScopeSet::CONSENTABLE,
                _ => continue,
            };
            let requirements = scopes.iter().flat_map(|scope| {
                ["oauth2", "bearer"].map(|scheme| SecurityRequirement::new(scheme, [scope.as_str()]))
            });
            if let Some(operation) = operation {
                operation.security = Some(requirements.collect());
            }
        }
    }
}

/// Adds every scheme that operations name.
pub(super) fn add_schemes(document: &mut OpenApi) {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some(
            "An access token, or a personal access token with the scope, in the header `Authorization` only.",
        ))
        .build();
    let basic = HttpBuilder::new()
        .scheme(HttpAuthScheme::Basic)
        .description(Some(
            "`client_id` and `client_secret`, form-encoded first (RFC 6749 section 2.3.1); replaces the \
             parameters of the same names.",
        ))
        .build();
    let components = document.components.get_or_insert_default();
    for (name, scheme) in [
        ("basic", SecurityScheme::Http(basic)),
        ("bearer", SecurityScheme::Http(bearer)),
        ("oauth2", SecurityScheme::OAuth2(oauth2())),
    ] {
        components.security_schemes.insert(name.to_owned(), scheme.into());
    }
}

/// Describes the two flows: a person's consent to an app, and a service client on its own behalf.
fn oauth2() -> OAuth2 {
    let url = |endpoint: Endpoint| format!("{PUBLIC_URL}{}", endpoint.path());
    let token_url = url(Endpoint::Token);
    let by_consent = AuthorizationCode::with_refresh_url(
        url(Endpoint::Authorize),
        token_url.clone(),
        scopes(Scope::by_consent),
        token_url.clone(),
    );
    let by_service_client = ClientCredentials::new(token_url, scopes(|scope| !scope.by_consent()));
    OAuth2::with_description(
        [Flow::AuthorizationCode(by_consent), Flow::ClientCredentials(by_service_client)],
        "PKCE with `S256` is supported, and required of public apps.",
    )
}

fn scopes(included: impl Fn(Scope) -> bool) -> Scopes {
    let scopes = Scope::ALL.into_iter().filter(|scope| included(*scope));
    scopes.map(|scope| (scope.as_str(), meaning(scope))).collect()
}

/// Describes what a token with the scope may do.
const fn meaning(scope: Scope) -> &'static str {
    match scope {
        Scope::Profile => "Read the profile",
        Scope::Sleep => "Read sleep sessions, with stages and metrics",
        Scope::Supplements => "Read supplements and their intake",
        Scope::UsersWrite => "Create and erase people",
        Scope::ProfileWrite => "Change profiles",
        Scope::SleepWrite => "Store and delete sleep sessions",
        Scope::SupplementsWrite => "Store labels of supplements, and store and delete intake logs",
        Scope::TokensIntrospect => "Introspect the access tokens of every client",
    }
}
