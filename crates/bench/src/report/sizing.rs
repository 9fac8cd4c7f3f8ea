//! The sizing table, computed from measured costs.

use super::text::{figure, table};
use crate::outcome::{Figures, Measurement};
use anyhow::Context;

const BEGIN: &str = "<!-- sizing: written by `just bench-report` -->\n";
const END: &str = "<!-- end of sizing -->\n";

/// Daily requests per person, by a word in the name of the measuring case: pages of the last nights,
/// profiles, refreshes.
const DAY: [(&str, f64); 3] = [("page of 30", 24.0), ("profile read", 4.0), ("refresh", 12.0)];
/// Busiest hour relative to the mean of the day.
const PEAK: f64 = 4.0;
/// CPU utilisation at the peak; beyond it latency grows faster than the load.
const USED: f64 = 0.5;
/// Processors per replica.
const REPLICA: f64 = 2.0;
/// Nights kept per person: three years, with a nap every other day.
const NIGHTS: f64 = 1_600.0;
const PEOPLE: [f64; 4] = [10_000.0, 100_000.0, 1_000_000.0, 10_000_000.0];
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// Cost of a request of the mix in microseconds of CPU time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    server: f64,
    database: f64,
}

/// Renders the table and its derivation.
pub(super) fn render(measurement: &Measurement) -> String {
    if let Some(mark) = &measurement.mark {
        return format!("Nothing is computed from the committed figures: {mark}.\n");
    }
    let Some(cost) = cost(measurement) else {
        return "The cases that this is computed from were not measured.\n".to_owned();
    };
    let bytes = bytes_of_a_night(measurement);
    let asked: f64 = DAY.iter().map(|(_, times)| times).sum();
    let rows: Vec<_> = PEOPLE.iter().map(|people| row(*people, asked, cost, bytes)).collect();
    let heads =
        ["people", "requests/s at the peak", "replicas of 2 cores", "cores of the database", "its disk, GB"];
    let measured = format!(
        "Measured ([performance.md](performance.md), commit `{}`): a request of this mix costs {} µs of a server's \
         processor and {} µs of the database's{}.",
        measurement.commit,
        figure(cost.server),
        figure(cost.database),
        bytes.map_or_else(String::new, |bytes| format!(
            "; a night takes {} bytes with its indexes",
            figure(bytes)
        ))
    );
    format!("{}\n{measured}\n", table(&heads, &rows))
}

fn row(people: f64, asked: f64, cost: Cost, bytes: Option<f64>) -> Vec<String> {
    let peak = people * asked / SECONDS_OF_A_DAY * PEAK;
    let cores = |microseconds: f64| peak * microseconds / 1e6 / USED;
    let replicas = (cores(cost.server) / REPLICA).ceil().max(2.0);
    let disk = bytes.map_or_else(|| "–".to_owned(), |bytes| figure((people * NIGHTS * bytes / 1e9).ceil()));
    vec![
        figure(people),
        figure(peak.ceil()),
        format!("{replicas}"),
        format!("{}", cores(cost.database).ceil().max(1.0)),
        disk,
    ]
}

/// Returns the mean cost of the mix; `None` if a case was not measured.
fn cost(measurement: &Measurement) -> Option<Cost> {
    let (mut server, mut database, mut all) = (0.0, 0.0, 0.0);
    for (word, times) in DAY {
        let outcome = measurement.cases.iter().find(|outcome| outcome.case.contains(word))?;
        let Figures { server_cpu_us, database_cpu_us, .. } = outcome.figures;
        server += server_cpu_us? * times;
        database += database_cpu_us? * times;
        all += times;
    }
    Some(Cost { server: server / all, database: database / all })
}

/// Returns the size on disk per session in the largest measurement.
fn bytes_of_a_night(measurement: &Measurement) -> Option<f64> {
    let disk = measurement.series.iter().find(|series| series.name == "disk")?;
    let (nights, gigabytes) = disk.lines.first()?.points.last()?;
    Some(gigabytes * 1e9 / nights)
}

/// Inserts the table between its markers.
pub(super) fn put_into(page: &str, table: &str) -> anyhow::Result<String> {
    let marks = "the page has no place for the sizing table";
    let (before, rest) = page.split_once(BEGIN).context(marks)?;
    let (_, after) = rest.split_once(END).context(marks)?;
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::measurement;

    #[test]
    fn the_table_grows_with_the_people() {
        let text = render(&Measurement { mark: None, ..measurement() });
        // 40 a day: 24 of 200 µs, 4 of 50 µs, 12 of 100 µs.
        assert!(text.contains("costs 155 µs of a server's processor"), "{text}");
        assert!(text.contains("| 10,000 | 19.0 | 2 | 1 | 5.00 |"), "{text}");
        assert!(text.contains("| 10,000,000 | 18,519 | 3 |"), "{text}");
    }

    #[test]
    fn figures_with_a_mark_are_not_multiplied() {
        assert!(render(&measurement()).ends_with("figures: a busy machine.\n"));
    }

    #[test]
    fn the_table_is_put_between_its_marks_and_nothing_else_is_changed() {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        let put = put_into(&page, "new\n").unwrap();
        assert_eq!(put, format!("a\n{BEGIN}\nnew\n\n{END}b\n"));
        assert_eq!(put_into(&put, "new\n").unwrap(), put);
        assert!(put_into("a", "new").is_err());
    }
}
