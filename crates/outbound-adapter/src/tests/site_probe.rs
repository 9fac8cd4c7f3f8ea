use super::{Behaviour, Host, get, ok, tls_host};
use crate::{ProbeError, SiteProbe};
use application::ports::system::OutboundRequest;
use std::time::Duration;
use tls_trust::Authorities;

fn probe(authorities: &Authorities) -> SiteProbe {
    SiteProbe::trusting(authorities.clone()).unwrap()
}

#[tokio::test]
async fn a_response_has_the_certificates_of_its_connection() {
    let (authorities, host) = tls_host("localhost", ok("hello")).await;
    let request = get(&format!("https://localhost:{}/livez", host.address.port()));
    let answer = probe(&authorities).get(request).await.unwrap();
    assert_eq!((answer.response.status, answer.response.body.as_slice()), (200, &b"hello"[..]));
    assert_eq!(answer.certificates.len(), 1);
    let plain = Host::start(ok("hello")).await;
    let answer = probe(&authorities).get(get(&format!("http://{}/", plain.address))).await.unwrap();
    assert!(answer.certificates.is_empty());
}

#[tokio::test]
async fn each_failure_has_its_reason() {
    let (authorities, host) = tls_host("localhost", ok("")).await;
    let (others, other) = tls_host("other.example", ok("")).await;
    let url = |host: &Host| get(&format!("https://localhost:{}/", host.address.port()));
    let failure = async |authorities: &Authorities, request: OutboundRequest| {
        probe(authorities).get(request).await.unwrap_err()
    };
    for (error, reason) in [
        (failure(&others, url(&host)).await, "no authority that this machine trusts"),
        (failure(&others, url(&other)).await, "it is for another host name"),
    ] {
        assert!(matches!(&error, ProbeError::Certificate(text) if text.starts_with(reason)), "{error}");
    }
    let plain = Host::start(ok("")).await;
    assert!(matches!(failure(&authorities, url(&plain)).await, ProbeError::Tls(_)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let closed = failure(&authorities, get(&format!("http://{address}/"))).await;
    assert!(matches!(closed, ProbeError::Unreachable(_)), "{closed}");
    let mail = Host::start(Behaviour::Writes("220 mail.example\r\n".to_owned())).await;
    let not_http = failure(&authorities, get(&format!("http://{}/", mail.address))).await;
    assert!(matches!(not_http, ProbeError::NotHttp), "{not_http}");
    let silent = Host::start(Behaviour::Hangs("")).await;
    let request = get(&format!("http://{}/", silent.address));
    let late = failure(&authorities, OutboundRequest { timeout: Duration::from_millis(50), ..request }).await;
    assert!(matches!(late, ProbeError::TimedOut), "{late}");
}
