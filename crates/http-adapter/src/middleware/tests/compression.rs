//! Compression of whole and streamed bodies.

use super::*;
use actix_web::web::Bytes;
use std::io::Read as _;

const PIECE: &str = "0123456789abcdef";

fn switched(compression: bool) -> Arc<ApiState> {
    let settings = HttpSettings { compression, ..HttpSettings::default() };
    Parts { settings, ..Parts::default() }.build()
}

fn routes() -> Scope {
    async fn whole(size: web::Path<usize>) -> HttpResponse {
        HttpResponse::Ok().body("z".repeat(*size))
    }
    async fn streamed() -> HttpResponse {
        let pieces = (0..10_000).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(PIECE.as_bytes())));
        HttpResponse::Ok().streaming(futures_util::stream::iter(pieces))
    }
    web::scope("")
        .service(web::resource("/whole/{size}").to(whole))
        .service(web::resource("/streamed").to(streamed))
}

async fn ask(state: Arc<ApiState>, uri: &str, accepted: &str) -> TestResponse {
    let request = TestRequest::get().uri(uri).insert_header(("accept-encoding", accepted));
    let configure = |app: &mut ServiceConfig| {
        let tokens = Endpoint::Token.resource().to(|| async { HttpResponse::Ok().body("z".repeat(5000)) });
        app.service(tokens).configure(around(state, routes()));
    };
    send_to(configure, request).await
}

fn decode(answer: &TestResponse) -> String {
    let mut text = String::new();
    match answer.header("content-encoding") {
        Some("gzip") => flate2::read::GzDecoder::new(answer.body.as_ref()).read_to_string(&mut text).unwrap(),
        Some("zstd") => zstd::Decoder::new(answer.body.as_ref()).unwrap().read_to_string(&mut text).unwrap(),
        other => panic!("{other:?}"),
    };
    text
}

#[actix_web::test]
async fn whole_and_streamed_bodies_survive_a_round_trip() {
    for coding in ["gzip", "zstd"] {
        let answer = ask(switched(true), "/whole/100000", coding).await;
        assert_eq!(answer.header("content-encoding"), Some(coding));
        assert_eq!(answer.header("vary"), Some("Origin, Accept-Encoding"));
        assert_eq!(decode(&answer), "z".repeat(100_000));
        assert!(answer.body.len() < 10_000);
        let answer = ask(switched(true), "/streamed", coding).await;
        assert_eq!(decode(&answer), PIECE.repeat(10_000));
    }
}

#[actix_web::test]
async fn the_callers_preference_is_respected() {
    for (accepted, coding) in [
        ("gzip, zstd;q=0.5", Some("gzip")),
        ("gzip;q=0.1, zstd", Some("zstd")),
        ("zstd;q=0, gzip", Some("gzip")),
        ("br", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("identity;q=0, br", None),
        ("nonsense, ;;q=", None),
    ] {
        let answer = ask(switched(true), "/whole/5000", accepted).await;
        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
        assert_eq!(answer.status.as_u16(), 200);
    }
}

#[actix_web::test]
async fn small_bodies_token_endpoints_and_servers_without_the_setting_are_uncompressed() {
    assert_eq!(ask(switched(true), "/whole/1024", "gzip").await.header("content-encoding"), Some("gzip"));
    for (state, uri) in [
        (switched(true), "/whole/1023"),
        (switched(true), "/whole/0"),
        (switched(true), "/api/token"),
        (switched(false), "/whole/5000"),
    ] {
        assert_eq!(ask(state, uri, "gzip").await.header("content-encoding"), None, "{uri}");
    }
}
