//! Rounds of load and their figures.

use crate::load::{Load, Sample};
use crate::outcome::Figures;
use crate::process::Watched;
use std::time::Duration;

/// Processes whose CPU time and memory are measured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Costs {
    pub(crate) server: Option<Watched>,
    pub(crate) database: Option<Watched>,
    /// The workers of a Citus cluster, whose coordinator is the database, or the standby of the database.
    pub(crate) workers: Option<Watched>,
}

/// Runs a load once and returns its figures.
pub(crate) fn round(load: &Load, costs: Costs) -> anyhow::Result<Figures> {
    let before = (cpu(costs.server)?, cpu(costs.database)?, cpu(costs.workers)?);
    if let Some(server) = costs.server {
        server.forget_peak()?;
    }
    let sample = load.run()?;
    let after = (cpu(costs.server)?, cpu(costs.database)?, cpu(costs.workers)?);
    Ok(Figures {
        server_cpu_us: costs.server.map(|_| each(after.0, before.0, sample.answers)),
        database_cpu_us: costs.database.map(|_| each(after.1, before.1, sample.answers)),
        workers_cpu_us: costs.workers.map(|_| each(after.2, before.2, sample.answers)),
        peak_memory_mb: costs.server.map(Watched::peak_mb).transpose()?,
        ..latency(&sample)
    })
}

/// Returns the latency figures of a sample.
pub(crate) fn latency(sample: &Sample) -> Figures {
    Figures {
        median_ms: Some(milliseconds(sample.latency.value_at_quantile(0.5))),
        p99_ms: Some(milliseconds(sample.latency.value_at_quantile(0.99))),
        requests_per_second: Some(count(sample.answers) / sample.elapsed.as_secs_f64()),
        ..Figures::default()
    }
}

/// Something that can be measured in rounds.
pub(crate) type Measured<'a> = dyn FnMut() -> anyhow::Result<Figures> + 'a;

/// Runs both in turns after one uncounted round each; returns the medians of their figures.
pub(crate) fn in_turns(
    rounds: usize,
    one: &mut Measured<'_>,
    other: &mut Measured<'_>,
) -> anyhow::Result<(Figures, Figures)> {
    one()?;
    other()?;
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ones.push(one()?);
        others.push(other()?);
    }
    Ok((medians(&ones), medians(&others)))
}

/// Runs one uncounted round and then some more; returns the medians of their figures.
pub(crate) fn repeat(rounds: usize, one: &mut Measured<'_>) -> anyhow::Result<Figures> {
    one()?;
    let figures = (0..rounds).map(|_| one()).collect::<Result<Vec<_>, _>>()?;
    Ok(medians(&figures))
}

/// Returns the median of each figure over several rounds.
pub(crate) fn medians(rounds: &[Figures]) -> Figures {
    let of = |field: fn(&Figures) -> Option<f64>| median(rounds.iter().filter_map(field).collect());
    Figures {
        median_ms: of(|round| round.median_ms),
        p99_ms: of(|round| round.p99_ms),
        requests_per_second: of(|round| round.requests_per_second),
        server_cpu_us: of(|round| round.server_cpu_us),
        database_cpu_us: of(|round| round.database_cpu_us),
        workers_cpu_us: of(|round| round.workers_cpu_us),
        peak_memory_mb: of(|round| round.peak_memory_mb),
    }
}

/// Returns the median.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*values.get(middle.checked_sub(1)?)?, upper))
}

fn cpu(watched: Option<Watched>) -> anyhow::Result<Duration> {
    watched.map_or(Ok(Duration::ZERO), Watched::cpu)
}

/// Returns microseconds per request.
fn each(after: Duration, before: Duration, answers: u64) -> f64 {
    after.saturating_sub(before).as_secs_f64() * 1e6 / count(answers.max(1))
}

fn milliseconds(nanoseconds: u64) -> f64 {
    count(nanoseconds) / 1e6
}

/// Converts a count for use in fractions.
#[expect(clippy::cast_precision_loss, reason = "what is counted here stays far below 2^52")]
pub(crate) fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn a_figure_that_no_round_has_stays_unknown() {
        let round = Figures { median_ms: Some(1.0), ..Figures::default() };
        let both = medians(&[round, Figures { median_ms: Some(2.0), ..round }]);
        assert_eq!(both.median_ms, Some(1.5));
        assert_eq!(both.server_cpu_us, None);
    }
}
