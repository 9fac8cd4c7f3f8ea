//! Dates of a request in the person's zone, across clock changes.

use super::reader::Reader;
use super::store::register_as;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::json;

/// Creates a person in New York with an hour-long session at each of these times, named by its source.
async fn sleeper(world: &World, starts: &[(&str, &str)]) -> (Server, Reader) {
    let registration = register_as(world, "aaaaaaaa-0000-4000-8000-000000000003", "America/New_York");
    let lines = starts.iter().map(|(name, start)| {
        let start: chrono::DateTime<chrono::Utc> = start.parse().expect("time");
        let end = start + chrono::TimeDelta::minutes(30);
        let line = json!({"type": "sleep_session", "source": name, "time_in_bed_start": start.to_rfc3339(), "time_in_bed_end": end.to_rfc3339()});
        line.to_string() + "\n"
    });
    let file = world.file("sessions.ndjson", &lines.collect::<String>());
    let report = world.json(&["import", "--user", &registration.user_id, "--json", &file]);
    assert_eq!(report["sessions"]["new"], starts.len(), "{report}");
    let server = world.serve();
    let reader = Reader::authorized(world, &server, &registration).await;
    (server, reader)
}

async fn names(reader: &Reader, query: &str) -> Vec<String> {
    reader.column("sleep", &format!("sort=asc&{query}"), "source").await
}

on_sqlite! {
    async fn a_day_is_the_whole_local_day_also_when_the_clock_changes(world: World) {
        // On 8 March 2026 New York's day has 23 hours, on 1 November 25.
        let (_server, reader) = sleeper(&world, &[
            ("march 7, last", "2026-03-08T04:59:59.999Z"), ("march 8, first", "2026-03-08T05:00:00Z"),
            ("march 8, last", "2026-03-09T03:59:59.999Z"), ("march 9, first", "2026-03-09T04:00:00Z"),
            ("october 31, last", "2026-11-01T03:59:59.999Z"), ("november 1, first", "2026-11-01T04:00:00Z"),
            ("november 1, last", "2026-11-02T04:59:59.999Z"), ("november 2, first", "2026-11-02T05:00:00Z"),
        ]).await;
        assert_eq!(names(&reader, "startDate=2026-03-08&endDate=2026-03-08").await, ["march 8, first", "march 8, last"]);
        assert_eq!(names(&reader, "startDate=2026-11-01&endDate=2026-11-01").await, ["november 1, first", "november 1, last"]);
        assert_eq!(names(&reader, "endDate=2026-03-08").await.last().map(String::as_str), Some("march 8, last"));
        assert_eq!(names(&reader, "startDate=2026-11-02").await, ["november 2, first"]);
        assert_eq!(names(&reader, "").await.len(), 8);
    }

    async fn skipped_and_ambiguous_times_are_resolved_as_documented(world: World) {
        let (_server, reader) = sleeper(&world, &[
            ("1:30 before the change", "2026-11-01T05:30:00Z"), ("1:30 after the change", "2026-11-01T06:30:00Z"),
            ("3:30 of the spring", "2026-03-08T07:30:00Z"),
        ]).await;
        let twice = "2026-11-01T01:30:00";
        assert_eq!(names(&reader, &format!("startDate={twice}&endDate={twice}")).await, ["1:30 before the change", "1:30 after the change"]);
        assert_eq!(names(&reader, &format!("startDate={twice}&endDate=2026-11-01T01:29:59")).await.len(), 1);
        // 2:30 does not exist in New York on 8 March: the offset before the change applies.
        let skipped = "2026-03-08T02:30:00";
        assert_eq!(names(&reader, &format!("startDate={skipped}&endDate={skipped}")).await, ["3:30 of the spring"]);
    }

    async fn the_persons_current_zone_applies(world: World) {
        // The zone is cached with the grant.
        let world = world.with("RESTWELL__TOKENS__ACCESS_CACHE_MILLISECONDS", "0");
        let (_server, reader) = sleeper(&world, &[("late", "2026-06-01T02:00:00Z")]).await;
        assert_eq!(names(&reader, "startDate=2026-05-31&endDate=2026-05-31").await, ["late"]);
        world.ok(&["user", "update", &reader.user_id, "--timezone", "Asia/Tokyo"]);
        assert_eq!(names(&reader, "startDate=2026-06-01&endDate=2026-06-01").await, ["late"]);
        assert!(names(&reader, "startDate=2026-05-31&endDate=2026-05-31").await.is_empty());
    }
}
