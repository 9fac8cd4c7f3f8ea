//! Pages of sessions and of supplements: links, sizes, directions, ends.

use super::reader::{Reader, column};
use super::records;
use super::store::register_as;
use crate::e2e::app::{register, text};
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use serde_json::json;
use socket2::SockRef;
use std::os::fd::OwnedFd;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Number of sessions from [`many_nights`].
const NIGHTS: usize = 23;

/// Creates sessions of which three start at the same time, and a reader for them.
async fn many_nights(world: &World) -> (Server, Reader) {
    let registration = register(world);
    let user = &registration.user_id;
    let nights = records::nights(NIGHTS - 2, 2);
    let night = nights.lines().nth(7).expect("a night");
    let same_start = format!("{}\n{}\n", night.replace("ring", "watch"), night.replace("ring", "phone"));
    let file = world.file("nights.ndjson", &(nights + &same_start));
    assert_eq!(world.json(&["import", "--user", user, "--json", &file])["sessions"]["new"], NIGHTS);
    let server = world.serve();
    let reader = Reader::authorized(world, &server, &registration).await;
    (server, reader)
}

/// Follows one kind of link from a path to its end; returns the ids of each page, and the last path.
async fn walk(reader: &Reader, from: &str, link: &str) -> (Vec<Vec<String>>, String) {
    let mut pages = Vec::new();
    let mut path = from.to_owned();
    loop {
        let answer = reader.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
        let body = answer.json();
        pages.push(column(&body, "id"));
        let pagination = &body["pagination"];
        assert_eq!(pagination["has_more"], !pagination["next_page"].is_null(), "{path}");
        match pagination[link].as_str() {
            Some(next) => path = next.to_owned(),
            None => return (pages, path),
        }
    }
}

/// Finds the server's end of a connection among the open files of its process.
fn other_end(server: &Server, of: &TcpStream) -> OwnedFd {
    let (pid, here) = (server.pid().cast_signed(), of.local_addr().expect("address"));
    let process = pidfd_open(Pid::from_raw(pid).expect("process id"), PidfdFlags::empty()).expect("process");
    let numbers = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("open files").filter_map(|entry| {
        let entry = entry.ok()?;
        let is_socket = std::fs::read_link(entry.path()).ok()?.to_str()?.starts_with("socket:");
        is_socket.then(|| entry.file_name().to_str()?.parse().ok()).flatten()
    });
    let mut copies = numbers.map(|number| {
        let copy = pidfd_getfd(&process, number, PidfdGetfdFlags::empty());
        // A server is a child of its test, which may inspect it; without that permission the test cannot run.
        copy.expect("a copy of a socket of the server (containers need the capability SYS_PTRACE for it)")
    });
    let is_the_one = |copy: &OwnedFd| {
        let peer = SockRef::from(copy).peer_addr().ok().and_then(|peer| peer.as_socket());
        peer == Some(here)
    };
    copies.find(is_the_one).expect("the server's end")
}

on_sqlite! {
    async fn following_the_links_returns_every_session_once_in_both_directions(world: World) {
        let (_server, reader) = many_nights(&world).await;
        let user = reader.user_id.clone();
        let all = reader.column("sleep", "pageSize=10000", "id").await;
        assert_eq!(all.len(), NIGHTS);
        let starts = reader.column("sleep", "pageSize=10000", "time_in_bed_start").await;
        assert!(starts.is_sorted_by(|later, earlier| later >= earlier), "{starts:?}");
        for (sort, size) in [("", 5), ("sort=desc&", 23), ("sort=asc&", 4), ("sort=asc&", 1), ("", 22)] {
            let first = format!("/api/v1/sleep/{user}?{sort}pageSize={size}");
            let (pages, last) = walk(&reader, &first, "next_page").await;
            assert!(pages.iter().rev().skip(1).all(|page| page.len() == size), "{first}");
            let mut forth: Vec<String> = pages.concat();
            let (mut back, _) = walk(&reader, &last, "prev_page").await;
            back.reverse();
            assert_eq!(back, pages, "{first}");
            if sort == "sort=asc&" {
                forth.reverse();
            }
            assert_eq!(forth, all, "{first}");
        }
    }

    async fn supplements_are_paged_by_record_and_carry_all_their_logs(world: World) {
        let registration = register_as(&world, "aaaaaaaa-0000-4000-8000-000000000002", "America/New_York");
        let user = &registration.user_id;
        let id = |number: usize| format!("5e7a0000-0000-4000-8000-00000000000{number}");
        let mut lines = String::new();
        for supplement in 1..=5 {
            lines += &(json!({"type": "supplement", "id": id(supplement), "name": format!("Supplement {supplement}")}).to_string() + "\n");
            // The later in the list, the earlier its first log and the later its last one.
            for day in [10 - supplement, 15, 20 + supplement] {
                let at = format!("2026-03-{day:02}T12:00:00Z");
                lines += &(json!({"type": "supplement_log", "created_at": at, "supplement_id": id(supplement), "servings": 1}).to_string() + "\n");
            }
        }
        let file = world.file("taken.ndjson", &lines);
        assert_eq!(world.json(&["import", "--user", user, "--json", &file])["logs"]["new"], 15);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let downwards: Vec<String> = (1..=5).rev().map(id).collect();
        for sort in ["", "sort=asc&"] {
            // Descending uses the latest intake, ascending the earliest: both put the last supplement first.
            let path = format!("/api/v1/supplements/{user}?{sort}pageSize=2");
            let (pages, last) = walk(&reader, &path, "next_page").await;
            assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
            assert_eq!(pages.concat(), downwards, "{sort}");
            let (mut back, _) = walk(&reader, &last, "prev_page").await;
            back.reverse();
            assert_eq!(back, pages);
        }
        let all = reader.read("supplements", "").await;
        for record in all["data"].as_array().expect("records") {
            assert_eq!(record["id"], record["details"]["id"]);
            let times = record["logs"].as_array().expect("logs").iter().map(|log| text(log, "created_at")).collect::<Vec<_>>();
            assert!(times.len() == 3 && times.is_sorted_by(|later, earlier| later > earlier), "{times:?}");
        }
        // After the first day on which only some were logged, the others have fewer logs or are missing.
        let since = reader.read("supplements", "startDate=2026-03-24&sort=asc").await;
        assert_eq!(column(&since, "id"), [id(4), id(5)]);
        assert!(since["data"].as_array().expect("records").iter().all(|record| record["logs"].as_array().expect("logs").len() == 1));
        let one = reader.read("supplements", &format!("supplementID={}", id(3))).await;
        assert_eq!((column(&one, "id"), one["pagination"]["has_more"].clone()), (vec![id(3)], json!(false)));
        let none = reader.read("supplements", "supplementID=5e7a0000-0000-4000-8000-00000000dead").await;
        assert_eq!(none["data"], json!([]));
        // There is no endDate here, so an invalid one is ignored.
        assert_eq!(reader.column("supplements", "endDate=never", "id").await.len(), 5);
        assert_eq!(reader.ask("supplements", "supplementID=3").await.status, StatusCode::BAD_REQUEST);
    }
}

// Without TCP_NODELAY about every third large response on a kept connection takes 40 ms longer. The test
// checks the option, because times are unreliable on a busy machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_chunk_does_not_wait_for_an_acknowledgement() {
    let server = World::new(StoreKind::Sqlite).await.in_processes().serve();
    let mut connection = TcpStream::connect(server.address()).await.expect("connection");
    connection.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("request");
    // The connection is accepted and served by now.
    connection.read_exact(&mut [0; 12]).await.expect("answer");
    let other_end = other_end(&server, &connection);
    assert!(SockRef::from(&other_end).tcp_nodelay().expect("option"));
}
