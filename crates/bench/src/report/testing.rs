//! A made-up measurement for tests.

use crate::outcome::{Check, Figures, Line, Machine, Measurement, Outcome, Series, Versions};

pub(super) fn measurement() -> Measurement {
    let word = str::to_owned;
    let figures = |server: f64| Figures {
        median_ms: Some(8.0),
        p99_ms: Some(20.0),
        requests_per_second: Some(6_000.0),
        server_cpu_us: Some(server),
        database_cpu_us: Some(server / 2.0),
        workers_cpu_us: None,
        peak_memory_mb: Some(40.0),
    };
    let case = |name: &str, server: f64| {
        Outcome::new(name, "at least 5,000 a second", word("6,000 a second"), figures(server))
            .ratio(1.2)
            .met(true)
    };
    let series = |name: &str, title: &str, points: Vec<(f64, f64)>| Series {
        name: word(name),
        title: word(title),
        x: word("sessions"),
        y: word("ms"),
        lines: vec![Line { name: word("p50"), points }],
    };
    Measurement {
        machine: Machine {
            processor: word("a processor"),
            caches: word("L1d 32K, L2 1024K"),
            cores: 2,
            memory_mib: 1,
            kernel: word("a kernel"),
        },
        versions: Versions {
            restwell: word("restwell 1"),
            postgres: word("15"),
            redis: word("7"),
            rustc: word("rustc 1"),
        },
        commit: word("0123456789ab"),
        date: word("2026-01-01"),
        mark: Some(word("a busy machine")),
        cases: vec![
            case("refresh", 100.0),
            case("profile read, hot token", 50.0),
            case("sleep, page of 30", 200.0),
        ],
        series: vec![
            series("sessions", "Sessions", vec![(100_000.0, 0.5)]),
            series("disk", "Disk", vec![(1e6, 0.3)]),
        ],
        safety: vec![Check {
            name: word("access"),
            without: Figures { server_cpu_us: Some(1.6), ..Figures::default() },
            added_cpu_us: 0.4,
        }],
    }
}
