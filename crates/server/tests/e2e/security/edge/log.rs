//! Logs of proxies.

use super::proxy::{Kind, Proxy};
use super::wire::send;
use crate::e2e::polling::eventually;
use crate::e2e::world::{StoreKind, World};

const MARKER: &str = "LEAKME123";
const PERSON: &str = "11111111-2222-4333-8444-555555555555";

// T01, T05
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_proxy_logs_a_query_a_header_a_body_or_a_persons_id() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let server = world.serve();
    for kind in Kind::ALL {
        let proxy = Proxy::start(kind, [server.address(), server.address()]).await;
        let head = format!(
            "Host: a\r\nAuthorization: Bearer {MARKER}\r\nCookie: a={MARKER}\r\nReferer: http://{MARKER}/\r\n\
             User-Agent: {MARKER}\r\nX-Forwarded-For: {MARKER}\r\nConnection: close\r\n"
        );
        let filler = "y".repeat(40_000);
        let requests = [
            format!("GET /api/token?code={MARKER}&client_secret={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("GET /api/v1/sleep/{PERSON}?access_token={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("DELETE /api/v1/supplements/{PERSON}/logs/{PERSON}?x={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("POST /api/token?code={MARKER} HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\n{MARKER}"),
            format!("POST /sign-in HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\n{MARKER}"),
            format!("{MARKER} /api/token?code={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("HEAD /api/token?code={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("GET /api/token?code={MARKER}&x={filler} HTTP/1.1\r\n{head}\r\n"),
            format!("GET /api/token?code={MARKER} HTTP/1.1\r\n{head}X: {filler}\r\n\r\n"),
            format!("GET /api/token?code={MARKER} x HTTP/1.1\r\n{head}\r\n"),
            format!("GET /api/token?code={MARKER} HTTP/1.1\r\n{head}Host: b\r\n\r\n"),
            format!("GET /api/token?code={MARKER} HTTP/1.1\r\n{head}Content-Length: x\r\n\r\n"),
            format!("GET /api/token?code={MARKER} HTTP/9.9\r\n{head}\r\n"),
            format!("GET http://{MARKER}/api/token?code={MARKER} HTTP/1.1\r\n{head}\r\n"),
            format!("GET /api/token?code={MARKER} HTTP/1.1\r\nHost: {MARKER}/\r\n{head}\r\n"),
            format!("CONNECT {MARKER}:443 HTTP/1.1\r\n{head}\r\n"),
        ];
        for request in &requests {
            send(proxy.address, request.as_bytes()).await;
        }
        // An unreachable replica, about which the error logs of proxies have the most details.
        let nobody = world.serve_as("nobody");
        let address = nobody.address().to_owned();
        let broken = Proxy::start(kind, [&address, &address]).await;
        drop(nobody);
        for request in &requests {
            send(broken.address, request.as_bytes()).await;
        }
        for proxy in [&proxy, &broken] {
            let log = eventually("the log tells of the request", async || {
                Some(proxy.log()).filter(|log| log.contains(r#""path":"/api/v1/sleep/:id""#))
            })
            .await;
            assert!(!log.contains(MARKER) && !log.contains(PERSON), "{kind:?}: {log}");
        }
    }
}
