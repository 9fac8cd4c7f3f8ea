//! A person's own nights: the pages, and deletion.

use super::reader::Reader;
use crate::e2e::app::Registration;
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::{Person, party, signed_in};
use crate::e2e::security::account::people::trail;
use crate::e2e::security::account::visit::{fill, without_request_id};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::json;
use std::fmt::Write as _;

const UNKNOWN: &str = "11111111-2222-4333-8444-555555555555";

struct Scene {
    world: World,
    server: Server,
    person: Person,
    app: Registration,
    browser: Browser,
}

impl Scene {
    /// Signs a person in who has three nights.
    async fn new(world: World) -> Self {
        let (person, app) = party(&world);
        let nights = world.file("nights.ndjson", &nights(3));
        world.ok(&["import", "--user", &person.user_id, &nights]);
        let server = world.serve();
        let browser = Browser::new(&server);
        browser.sign_in(&person).await;
        Self { world, server, person, app, browser }
    }

    /// Returns the paths of the nights that the page lists.
    async fn listed(&self) -> Vec<String> {
        let page = self.browser.open("/nights").await;
        let links = page.body.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        links.filter(|link| link.starts_with("/nights/")).map(str::to_owned).collect()
    }

    async fn delete(&self, night: &Page, id: &str) -> Page {
        self.browser.submit(&fill(night, "/nights/delete", &[("night", id)])).await
    }
}

/// Nights that end on 2 March 2026 and the days after, in Berlin.
fn nights(number: u32) -> String {
    let mut lines = String::new();
    for day in 1..=number {
        let line = json!({
            "type": "sleep_session", "source": "ring", "is_nap": false,
            "time_in_bed_start": format!("2026-03-{day:02}T22:53:00+01:00"),
            "time_in_bed_end": format!("2026-03-{:02}T06:08:00+01:00", day + 1),
        });
        writeln!(lines, "{line}").expect("text");
    }
    lines
}

/// Opens the home page; programs get JSON there.
async fn home(browser: &Browser) -> Page {
    browser.get_with("/", &[("accept", "text/html")]).await
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

on_sqlite! {
    async fn a_person_sees_their_nights_with_their_origin(world: World) {
        let scene = Scene::new(world).await;
        let home = home(&scene.browser).await.text();
        for words in [
            "Your latest night",
            "Tuesday 3 March, 22:53 to Wednesday 4 March, 06:08",
            "Nothing recorded since Wednesday 4 March 2026",
        ] {
            assert!(home.contains(words), "{words}: {home}");
        }
        let listed = scene.listed().await;
        assert_eq!(listed.len(), 3);
        let night = scene.browser.open(&listed[2]).await.text();
        for words in [
            "Night ending Monday 2 March 2026",
            "Sunday 1 March, 22:53 to Monday 2 March, 06:08",
            "7 h 15 min",
            "No stages",
            "ring",
            "nights.ndjson",
        ] {
            assert!(night.contains(words), "{words}: {night}");
        }
    }

    async fn medians_of_times_do_not_depend_on_the_side_of_midnight(world: World) {
        let scene = Scene::new(world).await;
        let night = |start: &str, end: &str| json!({
            "type": "sleep_session", "source": "watch", "time_in_bed_start": start, "time_in_bed_end": end,
        });
        let evenings = [
            night("2026-11-10T15:59:00+01:00", "2026-11-10T23:59:00+01:00"),
            night("2026-11-11T16:01:00+01:00", "2026-11-12T00:01:00+01:00"),
        ];
        let file = scene.world.file("evenings.ndjson", &evenings.map(|line| format!("{line}\n")).concat());
        scene.world.ok(&["import", "--user", &scene.person.user_id, &file]);
        let page = scene.browser.open("/nights?to=2026-11-15").await.text();
        for words in ["Bedtime 16:00", "Wake-up 00:00"] {
            assert!(page.contains(words), "{words}: {page}");
        }
    }

    async fn a_night_is_listed_under_the_day_of_waking_up_where_it_was_recorded(world: World) {
        let scene = Scene::new(world).await;
        // 23:30 on 9 March in Honolulu, 10 March in Berlin.
        let there = json!({
            "type": "sleep_session", "source": "ring", "is_nap": false,
            "time_in_bed_start": "2026-03-09T16:00:00-10:00", "time_in_bed_end": "2026-03-09T23:30:00-10:00",
        });
        let file = scene.world.file("there.ndjson", &format!("{there}\n"));
        scene.world.ok(&["import", "--user", &scene.person.user_id, &file]);
        let weeks = scene.browser.open("/nights").await;
        assert!(weeks.text().contains("Monday 9 March") && !weeks.text().contains("Tuesday 10 March"), "{weeks:?}");
        let night = scene.browser.open(&scene.listed().await[0]).await;
        assert!(night.text().contains("Night ending Monday 9 March 2026"), "{}", night.text());
        assert!(night.body.contains("/nights?to=2026-03-09"), "{}", night.body);
    }

    async fn a_short_session_of_unknown_kind_is_a_nap_on_all_pages_and_in_no_median(world: World) {
        let scene = Scene::new(world).await;
        let short = |day: u32| json!({
            "type": "sleep_session", "source": "ring",
            "time_in_bed_start": format!("2026-03-0{day}T14:00:00+01:00"),
            "time_in_bed_end": format!("2026-03-0{day}T14:40:00+01:00"),
        });
        // On the day of a night, and alone on a day: the longest session of a day is no nap.
        let file = scene.world.file("short.ndjson", &format!("{}\n{}\n", short(4), short(6)));
        scene.world.ok(&["import", "--user", &scene.person.user_id, &file]);
        let weeks = scene.browser.open("/nights").await.text();
        for words in ["1 nap.", "Median of 4 nights", "Bedtime 22:53", "Wake-up 06:08"] {
            assert!(weeks.contains(words), "{words}: {weeks}");
        }
        let mut pages = String::new();
        for path in scene.listed().await {
            pages += &scene.browser.open(&path).await.text();
        }
        for words in ["Nap on Wednesday 4 March 2026", "Night ending Friday 6 March 2026"] {
            assert!(pages.contains(words), "{words}: {pages}");
        }
        let stored = scene.world.ok(&["export", "--user", &scene.person.user_id]);
        let line = stored.lines().find(|line| line.contains("2026-03-04T14:00:00")).expect("line");
        assert!(!line.contains("\"is_nap\":true"), "{line}");
    }

    async fn the_home_page_names_the_days_of_an_old_record_and_counts_one_record_as_one(world: World) {
        let scene = Scene::new(world).await;
        let old = home(&scene.browser).await.text();
        assert!(old.contains("19 February to 4 March 2026") && !old.contains("Last 14 days"), "{old}");
        let broken = scene.world.file("broken.ndjson", "{\"type\":\"sleep_session\"}\n");
        scene.world.run(&["import", "--user", &scene.person.user_id, &broken]);
        let page = home(&scene.browser).await.text();
        assert!(page.contains("skipped 1 record."), "{page}");
    }

    async fn a_source_with_stage_totals_is_not_said_to_have_recorded_no_stages(world: World) {
        let scene = Scene::new(world).await;
        let totals = json!({
            "type": "sleep_session", "source": "scale", "is_nap": false,
            "time_in_bed_start": "2026-03-08T22:00:00+01:00", "time_in_bed_end": "2026-03-09T06:00:00+01:00",
            "sleep_metric": [
                { "sleep_metric": "timeNightAsleep", "value": 27000 }, { "sleep_metric": "timeNightLight", "value": 15000 },
                { "sleep_metric": "timeNightDeep", "value": 6000 }, { "sleep_metric": "timeNightRem", "value": 6000 },
            ],
        });
        let file = scene.world.file("totals.ndjson", &format!("{totals}\n"));
        scene.world.ok(&["import", "--user", &scene.person.user_id, &file]);
        let night = scene.browser.open(&scene.listed().await[0]).await.text();
        for page in [night, home(&scene.browser).await.text()] {
            assert!(page.contains("Deep sleep") && !page.contains("recorded no sleep stages"), "{page}");
            assert!(page.contains("how long each stage lasted, but not when"), "{page}");
        }
    }

    async fn a_night_links_to_the_nights_before_and_after(world: World) {
        let scene = Scene::new(world).await;
        let listed = scene.listed().await;
        let link = |path: &str, rel| format!("<a href=\"{path}\" rel=\"{rel}\">");
        let middle = scene.browser.open(&listed[1]).await.body;
        assert!(middle.contains(&link(&listed[2], "prev")), "{middle}");
        assert!(middle.contains(&link(&listed[0], "next")), "{middle}");
        let latest = scene.browser.open(&listed[0]).await.body;
        assert!(latest.contains(&link(&listed[1], "prev")) && !latest.contains("Next night"), "{latest}");
        // No links to weeks before the first night.
        let weeks = scene.browser.open("/nights").await.text();
        assert!(!weeks.contains("Earlier") && !weeks.contains("2025"), "{weeks}");
    }

    async fn help_keeps_the_tabs_of_a_signed_in_person(world: World) {
        let scene = Scene::new(world).await;
        let help = scene.browser.open("/help").await.body;
        assert!(help.contains("action=\"/sign-out\"") && help.contains("href=\"/nights\""), "{help}");
        let visitor = Browser::new(&scene.server).open("/help").await.body;
        assert!(!visitor.contains("action=\"/sign-out\""), "{visitor}");
        let invalid = scene.browser.get("/nights?to=tomorrow").await;
        assert_eq!(invalid.status, 400);
        assert!(invalid.text().contains("This link or form is not valid"), "{invalid:?}");
    }

    async fn a_deleted_night_is_gone_from_pages_feed_and_export_and_recorded(world: World) {
        let scene = Scene::new(world).await;
        let reader = Reader::authorized(&scene.world, &scene.server, &scene.app).await;
        let feed = reader.read("changes", "types=sleep").await;
        let listed = scene.listed().await;
        let night = scene.browser.open(&listed[0]).await;
        let done = scene.delete(&night, id_of(&listed[0])).await;
        assert_eq!(done.own_location(), "/nights?to=2026-03-04&done=deleted");
        assert!(scene.browser.follow(&done).await.text().contains("Deleted."));
        assert_eq!(scene.listed().await, listed[1..]);
        // A replayed form finds nothing.
        scene.delete(&night, id_of(&listed[0])).await.assert_refused(404);
        assert_eq!(scene.browser.get(&listed[0]).await.status, 404);
        let cursor = feed["next_cursor"].as_str().or(feed["cursor"].as_str()).map(str::to_owned);
        let query = cursor.map_or_else(String::new, |cursor| format!("&after={cursor}"));
        let feed = reader.read("changes", &format!("types=sleep{query}")).await.to_string();
        assert!(feed.contains(id_of(&listed[0])) && feed.contains("delete"), "{feed}");
        let export = scene.world.ok(&["export", "--user", &scene.person.user_id]);
        assert!(!export.contains(id_of(&listed[0])));
        let events = trail(&scene.world, &["--user", &scene.person.user_id, "--kind", "sleep.deleted"]);
        assert_eq!((events.len(), &events[0]["actor"]), (1, &json!("person")), "{events:?}");
        assert!(scene.browser.open("/activity").await.text().contains("You deleted a night"));
    }

    // T23
    async fn a_night_of_another_person_is_as_unknown_as_one_that_does_not_exist(world: World) {
        let scene = Scene::new(world).await;
        let listed = scene.listed().await;
        let (_, stranger) = signed_in(&scene.world, &scene.server, "stranger@example.org").await;
        let theirs = stranger.get(&listed[0]).await;
        let unknown = stranger.get(&format!("/nights/{UNKNOWN}")).await;
        assert_eq!((theirs.status, unknown.status), (404, 404));
        assert_eq!(without_request_id(&theirs), without_request_id(&unknown));
        for malformed in ["x", "11111111222243338444555555555555", "%00", "1111111-2222-4333-8444-5555555555555"] {
            assert_eq!(stranger.get(&format!("/nights/{malformed}")).await.status, 404, "{malformed}");
        }
        // With a valid token of the stranger's own form.
        let token = stranger.open("/imports").await.form("/imports").value("form_token").to_owned();
        for (id, status) in [(id_of(&listed[0]), 404), (UNKNOWN, 404), ("x", 400), ("", 400)] {
            let body = format!("form_token={token}&night={id}");
            stranger.post("/nights/delete", body, &[]).await.assert_refused(status);
        }
        assert_eq!(scene.listed().await, listed);
    }

    // T27
    async fn a_deletion_without_its_token_or_after_sign_out_is_refused(world: World) {
        let scene = Scene::new(world).await;
        let listed = scene.listed().await;
        let night = scene.browser.open(&listed[0]).await;
        let form = fill(&night, "/nights/delete", &[]);
        for form in [form.without("form_token"), form.with("form_token", "x")] {
            scene.browser.submit(&form).await.assert_refused(403);
        }
        scene.browser.get(&format!("/nights/delete?{}", form.encoded())).await.assert_refused(405);
        Browser::new(&scene.server).submit(&form).await.assert_refused(403);
        assert_eq!(scene.listed().await, listed);
        let twin = scene.browser.twin();
        twin.submit(&fill(&night, "/sign-out", &[])).await;
        scene.browser.submit(&form).await.assert_refused(403);
        scene.browser.sign_in(&scene.person).await;
        scene.browser.submit(&form).await.assert_refused(403);
        assert_eq!(scene.listed().await, listed);
    }

    async fn dates_that_do_not_exist_are_refused_and_far_ones_show_no_nights(world: World) {
        let scene = Scene::new(world).await;
        for query in [
            "to=2026-02-30", "to=", "to=x", "to=2026-3-1", "to=0000-00-00", "to=99999-01-01", "to=1969-12-31",
            "to=2026-03-01&to=2026-03-02", "to=%00", "to=2026-03-01T00:00",
        ] {
            scene.browser.get(&format!("/nights?{query}")).await.assert_refused(400);
        }
        for query in ["to=1970-01-01", "to=9999-12-31", "source=named%3Anone", "source=x", "done=x", "other=1"] {
            let page = scene.browser.open(&format!("/nights?{query}")).await;
            assert!(page.text().contains("at a glance"), "{query}");
        }
        assert!(scene.browser.open("/nights?to=1970-01-01").await.text().contains("No sleep in these four weeks"));
    }

    async fn without_data_the_pages_explain_how_to_import(world: World) {
        let server = world.serve();
        let (_, browser) = signed_in(&world, &server, "newcomer@example.org").await;
        let home = home(&browser).await;
        assert!(home.text().contains("Import your data") && home.body.contains("href=\"/imports\""));
        assert!(browser.open("/nights").await.text().contains("No nights yet"));
    }
}
