//! Every endpoint with every kind of credential, compared with the table of routes
//! (docs/reference/authorization.md).
//!
//! A new endpoint fails here until its samples fit: only a GET without fields that returns 200 needs none.

mod attempt;
mod cast;
mod sample;
mod verdict;

use crate::e2e::world::World;
use attempt::Attempt;
use cast::Cast;
use http_adapter::{Audience, Credential, Endpoint, Outcome};
use reqwest::Method;
use sample::SingleUseInputs;

on_sqlite! {
    async fn every_endpoint_responds_to_every_credential_as_the_table_requires(world: World) {
        // Commands print links, because email is configured for the server only.
        let operator = world.clone();
        // Email is configured without a listener: these endpoints only queue messages.
        let world = world.with("RESTWELL__MAIL__HOST", "127.0.0.1").with("RESTWELL__MAIL__PORT", "9");
        let world = world.with("RESTWELL__MAIL__TLS", "none").with("RESTWELL__MAIL__FROM", "no-reply@example.org");
        let world = world.with("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true");
        let world = world.with("RESTWELL__UPLOADS__MAX_OPEN", "100");
        let world = world.with("RESTWELL__DEVELOPERS__SELF_SERVICE", "true");
        let server = world.serve();
        let cast = Cast::new(&server, operator).await;
        let mut mismatches = Vec::new();
        let mut attempts = 0;
        for endpoint in Endpoint::ALL {
            let row = endpoint.row();
            let head = ("HEAD", row.get.filter(|_| endpoint.serves_head()));
            for (method, audience) in row.methods().into_iter().chain([head]) {
                let method: Method = method.parse().expect("method");
                match audience {
                    Some(audience) => {
                        let tried = try_every_credential(&cast, *endpoint, &method, audience).await;
                        attempts += Credential::ALL.len();
                        mismatches.extend(tried);
                    }
                    None => mismatches.extend(try_wrong_method(&cast, *endpoint, &method).await),
                }
            }
        }
        assert!(mismatches.is_empty(), "{} of {attempts} are wrong:\n{}", mismatches.len(), mismatches.join("\n"));
        assert!(attempts > 1100, "only {attempts} attempts");
    }
}

/// Tries the rejected ones first: if one of them had an effect, the others would show it.
async fn try_every_credential(
    cast: &Cast,
    endpoint: Endpoint,
    method: &Method,
    audience: Audience,
) -> Vec<String> {
    let mut mismatches = Vec::new();
    let (served, refused): (Vec<_>, Vec<_>) =
        Credential::ALL.into_iter().partition(|one| audience.outcome(*one) == Outcome::Served);
    let mut material = SingleUseInputs::make(cast, endpoint, audience).await;
    let attempt = |credential| Attempt { endpoint, method: method.clone(), audience, credential };
    for credential in refused {
        mismatches.extend(verdict::check(cast, &attempt(credential), &material).await.err());
    }
    if !method.is_safe() {
        mismatches.extend(verdict::check_untouched(cast, &material).await.err());
    }
    for credential in served {
        mismatches.extend(verdict::check(cast, &attempt(credential), &material).await.err());
        if !method.is_safe() || audience == Audience::Client {
            material = SingleUseInputs::make(cast, endpoint, audience).await;
        }
    }
    mismatches
}

/// Tries a method without an audience, which rejects every credential.
async fn try_wrong_method(cast: &Cast, endpoint: Endpoint, method: &Method) -> Option<String> {
    let path = sample::path(cast, endpoint);
    let request = cast.request(method.clone(), &path).bearer_auth(cast.best_token());
    let status = request.send().await.expect("answer").status();
    (status != 405).then(|| format!("{method} {endpoint:?} is {status} and no 405"))
}
