//! Cost of a page by the number of sessions in the table.

use super::{load, pages_of, series};
use crate::measure::{count, repeat, round};
use crate::outcome::{Figures, Outcome, Results};
use crate::stage::Stage;
use anyhow::Context;

/// Nights per person.
const NIGHTS: usize = 1_000;
/// Number of people whose pages are read, few enough to stay cached.
const ASKED: u64 = 50;
/// People per transaction.
const PEOPLE: u64 = 500;
const TARGET: f64 = 1.3;

/// Creates people with copies of the template person's nights. Foreign keys are not checked, because they
/// hold.
const FILL: &str = "SET session_replication_role = replica;
    SET synchronous_commit = off;
    BEGIN;
    CREATE TEMPORARY TABLE made ON COMMIT DROP AS
        SELECT md5('growth' || n)::uuid AS id FROM generate_series($first, $last) AS n;
    INSERT INTO person SELECT id, id || '@example.org' FROM made;
    INSERT INTO account (id, email, home_timezone, created_at)
        SELECT id, id || '@example.org', 'Europe/Berlin', now() FROM made;
    INSERT INTO sleep_session ($columns)
        SELECT $values FROM made CROSS JOIN sleep_session AS pattern WHERE pattern.user_id = '$pattern'
        ORDER BY made.id, pattern.started_at;
    COMMIT";

/// Columns of the table, with those that identify the person replaced.
const COLUMNS: &str = "SELECT string_agg(column_name, ', ' ORDER BY ordinal_position),
        string_agg(CASE column_name WHEN 'user_id' THEN 'made.id' WHEN 'id' THEN 'gen_random_uuid()'
            ELSE 'pattern.' || column_name END, ', ' ORDER BY ordinal_position)
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'sleep_session'";

const DISK: &str = "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
    WHERE inhparent = 'sleep_session'::regclass";

pub(super) fn run(stage: &mut Stage) -> anyhow::Result<Results> {
    let nights = if stage.plan.short { 100 } else { NIGHTS };
    let pattern = stage.sleeper(nights)?.user_id;
    let (mut people, mut found) = (0, Vec::new());
    let (mut median, mut p99, mut disk) = (Vec::new(), Vec::new(), Vec::new());
    for sessions in stage.plan.sessions.clone() {
        let wanted = sessions.div_ceil(nights as u64);
        fill(stage, &pattern, people, wanted)?;
        people = people.max(wanted);
        let figures = measure(stage, people)?;
        let x = count(people * nights as u64);
        median.extend(figures.median_ms.map(|y| (x, y)));
        p99.extend(figures.p99_ms.map(|y| (x, y)));
        disk.push((x, stage.postgres.sql(DISK)?.parse::<f64>()? / 1e9));
        found.push((x, figures));
    }
    let outcome = judge(&found)?;
    let axes = ("sessions in the table", "milliseconds");
    let title = "A page of 30 sessions against the number of sessions";
    let series = vec![
        series("sessions", title, axes, vec![("p50", median), ("p99", p99)]),
        series("disk", "Disk of the sessions with their indexes", (axes.0, "GB"), vec![("GB", disk)]),
    ];
    Ok(Results { outcomes: vec![outcome], series, ..Results::default() })
}

/// Creates people up to this number of sessions, then runs vacuum and analyze as a long-running server would.
fn fill(stage: &Stage, pattern: &str, mut there: u64, wanted: u64) -> anyhow::Result<()> {
    let columns = stage.postgres.sql(COLUMNS)?;
    let (columns, values) = columns.split_once('|').context("the table has no columns")?;
    while there < wanted {
        let last = wanted.min(there + PEOPLE);
        let statements = FILL
            .replace("$first", &(there + 1).to_string())
            .replace("$last", &last.to_string())
            .replace("$columns", columns)
            .replace("$values", values)
            .replace("$pattern", pattern);
        stage.postgres.sql(&statements)?;
        there = last;
    }
    stage.postgres.sql("VACUUM ANALYZE sleep_session")?;
    stage.postgres.sql("CHECKPOINT")?;
    Ok(())
}

/// Loads pages of a few people spread over the whole table with one client.
fn measure(stage: &mut Stage, people: u64) -> anyhow::Result<Figures> {
    let asked = ASKED.min(people);
    let numbers = format!(
        "SELECT md5('growth' || (1 + n * {people} / {asked}))::uuid FROM generate_series(0, {asked} - 1) AS n"
    );
    let asked: Vec<_> = stage.postgres.sql(&numbers)?.lines().map(str::to_owned).collect();
    let pages = pages_of(stage, &asked)?;
    let (address, costs) = (stage.server()?.address, stage.server_costs()?);
    let load = load(stage, address, 1, &pages);
    repeat(stage.plan.rounds, &mut || round(&load, costs))
}

/// Compares the largest with the smallest number of sessions.
fn judge(found: &[(f64, Figures)]) -> anyhow::Result<Outcome> {
    let (fewest, least) = found.first().context("no number of sessions was asked for")?;
    let (most, figures) = found.last().context("no number of sessions was asked for")?;
    let median = |figures: &Figures| figures.median_ms.context("nothing was measured");
    let ratio = median(figures)? / median(least)?;
    let words = "50,000,000 sessions, warm: p50 of a page at most 1.3 x that with 200,000 or fewer";
    let result = format!("{ratio:.2} x ({most:.0} beside {fewest:.0})");
    let outcome = Outcome::new("sessions in the table", words, result, *figures)
        .ratio(ratio)
        .reference("as many nights a person, the fewest people", *least);
    // Fewer sessions do not allow conclusions about fifty million.
    Ok(if *most >= 50e6 { outcome.met(ratio <= TARGET) } else { outcome })
}
