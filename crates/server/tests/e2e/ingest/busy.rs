//! More concurrent long bodies than the limit.

use super::backend::{Backend, LINES, night};
use crate::e2e::polling::eventually;
use crate::e2e::world::World;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Limit of concurrent bodies in files.
const FILES: u32 = 8;
/// Size of a body that does not stay in memory.
const LONG: usize = 5 * 1024 * 1024;

/// Returns a night, padded with blanks to a long body.
fn long_body(number: u32) -> String {
    let night = format!("{}\n", night(number));
    let blanks = LONG - night.len() - 1;
    night + &" ".repeat(blanks) + "\n"
}

/// Sends a long body except for its last byte, which [`end`] sends.
async fn begin(backend: &Backend, path: &str, number: u32) -> TcpStream {
    let mut stream = backend.open(path, LONG).await;
    let body = long_body(number);
    stream.write_all(&body.as_bytes()[..LONG - 1]).await.expect("sent");
    stream
}

/// Sends the last byte and returns the response, as far as it arrives: a rejected body may be cut.
async fn end(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    if stream.write_all(b"\n").await.is_ok() {
        let _ = stream.read_to_end(&mut answer).await;
    }
    String::from_utf8(answer).expect("UTF-8")
}

on_sqlite! {
    async fn a_long_body_beyond_the_limit_is_rejected_and_short_ones_are_accepted(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        let mut held = Vec::new();
        for number in 1..=FILES {
            held.push(begin(&backend, &path, number).await);
        }
        let mut refused = None;
        for number in FILES + 1..FILES + 50 {
            let answer = backend.post_text(&path, LINES, long_body(number)).await;
            if answer.status != 200 {
                refused = Some(answer);
                break;
            }
            // It was received before one of the others, which is then rejected in its place.
            held.push(begin(&backend, &path, 100 + number).await);
        }
        let refused = refused.expect("a long body is refused");
        assert_eq!(refused.refusal(503), "ingest_busy");
        assert_eq!(refused.headers["retry-after"], "5");
        assert!(refused.headers.contains_key("x-ratelimit-remaining"));
        assert_eq!(backend.post(&path, &json!([night(200)])).await.outcomes(), ["created"]);

        // Those in flight are processed, and free their permits.
        let mut stored = 0;
        for stream in held {
            let answer = end(stream).await;
            stored += u32::from(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"created\":1"));
        }
        assert_eq!(stored, FILES);
        eventually("there is room again", async || {
            let answer = backend.post_text(&path, LINES, long_body(91)).await;
            (answer.status == 200).then_some(())
        })
        .await;
    }
}
