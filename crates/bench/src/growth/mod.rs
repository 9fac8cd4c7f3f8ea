//! Growth: sessions, clients, replicas.

mod clients;
mod replicas;
mod sessions;

use crate::case::Case;
use crate::grants::{redeeming, seed};
use crate::load::{Expected, Load, Requests};
use crate::outcome::{Line, Series};
use crate::stage::{Person, Stage, get, member};
use anyhow::ensure;
use std::net::SocketAddr;

/// Returns the cases of this module. The one with many sessions comes last, because it fills disk and caches.
pub(crate) const CASES: &[Case] = &[
    Case { name: "growth of clients", run: clients::run },
    Case { name: "growth of replicas", run: replicas::run },
    Case { name: "growth of sessions", run: sessions::run },
];

/// Sessions per page.
const PAGE: usize = 30;

/// Path of a person's last page with stages and metrics.
fn page_of(person: &Person, token: &str) -> Vec<u8> {
    let path =
        format!("/api/v1/sleep/{}?include_stages=true&include_metrics=true&pageSize={PAGE}", person.user_id);
    get(&path, token)
}

/// Requests for the pages of several people in turns, each with its own token.
fn pages_of(stage: &mut Stage, people: &[String]) -> anyhow::Result<Vec<Vec<u8>>> {
    let codes = seed::codes(stage, people, people.len())?;
    let mut pages = Vec::with_capacity(people.len());
    for (person, code) in people.iter().zip(codes) {
        let person = Person { user_id: person.clone() };
        let request = redeeming(stage, &code);
        let (status, body) = stage.server()?.ask(&request)?;
        ensure!(status == 200, "a code was not redeemed: {}", String::from_utf8_lossy(&body));
        let token = member(&serde_json::from_slice(&body)?, "access_token")?;
        pages.push(page_of(&person, &token));
    }
    Ok(pages)
}

/// Creates a load of pages.
fn load(stage: &Stage, address: SocketAddr, connections: usize, pages: &[Vec<u8>]) -> Load {
    Load {
        address,
        connections,
        requests: Requests::Again(pages.to_vec()),
        end: stage.plan.end(),
        expected: Expected::status(200),
    }
}

/// Creates a series of lines with the same x values.
fn series(name: &str, title: &str, (x, y): (&str, &str), lines: Vec<(&str, Vec<(f64, f64)>)>) -> Series {
    let lines = lines.into_iter().map(|(name, points)| Line { name: name.to_owned(), points }).collect();
    Series { name: name.to_owned(), title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), lines }
}
