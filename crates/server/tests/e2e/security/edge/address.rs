//! Address of the caller behind proxies.

use super::proxy::{Kind, Proxy};
use crate::e2e::app::{Registration, register};
use crate::e2e::security::caller::{Caller, Form, Reply};
use crate::e2e::world::World;
use reqwest::{Method, RequestBuilder};
use std::net::Ipv4Addr;

/// Adds forged headers, different for each number.
fn lying(request: RequestBuilder, number: usize) -> RequestBuilder {
    let lie = format!("203.0.113.{number}");
    request
        .header("X-Forwarded-For", format!("{lie}, 198.51.100.{number}"))
        .header("X-Forwarded-For", &lie)
        .header("Forwarded", format!("for={lie}"))
        .header("X-Real-IP", &lie)
        .header("CF-Connecting-IP", &lie)
        .header("True-Client-IP", &lie)
        .header("X-Client-IP", &lie)
}

async fn guess(caller: &Caller, registration: &Registration, number: usize) -> u16 {
    let form = Form::of_code(registration, "rwc_any").with("client_secret", "rws_guess");
    Reply::to(lying(caller.request(Method::POST, "/api/token").form(&form.0), number)).await.status
}

fn loopback(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, last)
}

on_sqlite! {
    // T83
    async fn callers_cannot_change_their_bucket_directly_or_through_a_proxy(world: World) {
        let world = world
            .with("RESTWELL__SERVER__TRUSTED_PROXIES", "127.0.0.1, 2001:db8::/32")
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "4");
        let registration = register(&world);
        let servers = [world.serve_as("a"), world.serve_as("b")];
        for (kind, base) in Kind::ALL.into_iter().zip([10, 20]) {
            let proxy = Proxy::start(kind, [servers[0].address(), servers[1].address()]).await;
            let through = |last| Caller::to(&proxy.base_url(), loopback(last));
            let direct = |last| Caller::from_address(&servers[0], loopback(last));
            for number in 0..4 {
                assert_eq!(guess(&through(base), &registration, number).await, 401, "{kind:?}");
            }
            for number in 4..8 {
                assert_eq!(guess(&through(base), &registration, number).await, 429, "{kind:?}");
            }
            // Directly the caller has the same bucket, and another caller has another one.
            assert_eq!(guess(&direct(base), &registration, 9).await, 429, "{kind:?}");
            assert_eq!(guess(&through(base + 1), &registration, 9).await, 401, "{kind:?}");
            for number in 0..4 {
                assert_eq!(guess(&direct(base + 2), &registration, number).await, 401, "{kind:?}");
            }
            assert_eq!(guess(&direct(base + 2), &registration, 4).await, 429, "{kind:?}");
            assert_eq!(guess(&through(base + 2), &registration, 5).await, 429, "{kind:?}");
        }
    }

    // T82, T83: the addresses are those of the header; one /64 is one caller.
    async fn a_whole_network_behind_a_proxy_is_one_caller(world: World) {
        let world = world
            .with("RESTWELL__SERVER__TRUSTED_PROXIES", "127.0.0.1")
            .with("RESTWELL__SERVER__CLIENT_ADDRESS_HEADER", "forwarded")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "5");
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let spray = async |network: &str, number: u32| {
            let client_id = format!("00000000-0000-4000-8000-{number:012}");
            let stranger = Registration { client_id, ..registration.clone() };
            let form = Form::of_code(&stranger, "rwc_any").with("client_secret", "rws_guess");
            let request = caller.request(Method::POST, "/api/token").form(&form.0);
            let request = request.header("Forwarded", format!("for=203.0.113.{number}, for=\"[{network}::{number:x}]:47\""));
            // The header that is not configured.
            Reply::to(request.header("X-Forwarded-For", format!("203.0.113.{number}"))).await.status
        };
        for number in 1..=5 {
            assert_eq!(spray("2001:db8:1:2", number).await, 401);
        }
        assert_eq!(spray("2001:db8:1:2", 6).await, 429);
        assert_eq!(spray("2001:db8:1:3", 7).await, 401);
    }

    // T26, T99: a trusted proxy is trusted for addresses only.
    async fn links_issuer_and_cookies_depend_on_the_settings_alone(world: World) {
        let world = world.with("RESTWELL__SERVER__TRUSTED_PROXIES", "127.0.0.0/8");
        let server = world.serve();
        let proxies = [
            Proxy::start(Kind::Haproxy, [server.address(), server.address()]).await,
            Proxy::start(Kind::Nginx, [server.address(), server.address()]).await,
        ];
        let callers = [
            Caller::new(&server),
            Caller::to(&proxies[0].base_url(), Ipv4Addr::LOCALHOST),
            Caller::to(&proxies[1].base_url(), Ipv4Addr::LOCALHOST),
        ];
        for caller in &callers {
            for path in ["/.well-known/oauth-authorization-server", "/nowhere", "/sign-in", "/openapi.json", "/authorize"] {
                let request = caller.request(Method::GET, path)
                    .header("Host", "evil.example")
                    .header("X-Forwarded-Host", "evil.example")
                    .header("X-Forwarded-Proto", "https")
                    .header("X-Forwarded-Port", "666")
                    .header("X-Forwarded-Prefix", "/evil")
                    .header("Forwarded", "for=203.0.113.1;host=evil.example;proto=https")
                    .header("X-Original-URL", "/livez")
                    .header("X-Rewrite-URL", "/livez")
                    .header("X-HTTP-Method-Override", "DELETE");
                let reply = Reply::to(request).await;
                assert!(!format!("{reply:?}").contains("evil"), "{path}: {reply:?}");
                assert!(!reply.header("set-cookie").is_some_and(|cookie| cookie.contains("Secure")), "{reply:?}");
                assert_eq!(reply.header("strict-transport-security"), None, "{path}");
                let expected = Reply::to(Caller::new(&server).request(Method::GET, path)).await;
                assert_eq!(reply.status, expected.status, "{path}");
                if path.starts_with("/.well-known") {
                    assert_eq!(reply.body, expected.body);
                    assert!(reply.member("issuer").starts_with(&server.base_url));
                }
            }
        }
    }
}
