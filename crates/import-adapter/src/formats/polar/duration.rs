//! ISO 8601 durations.

use std::time::Duration;

/// Parses days, hours, minutes and seconds: `PT7H52M30.5S`.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('P')?;
    let (days, clock) = text.split_once('T').map_or((text, None), |(days, clock)| (days, Some(clock)));
    if clock.unwrap_or(days).is_empty() {
        return None;
    }
    let of_days = parts(days, &[('D', 86_400.0)])?;
    let of_clock = parts(clock.unwrap_or_default(), &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])?;
    Duration::try_from_secs_f64(of_days + of_clock).ok()
}

/// Adds up numbers, each followed by its unit, in the order of the units.
fn parts(mut text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut seconds = 0.0;
    for (unit, length) in units {
        if let Some((number, rest)) = text.split_once(*unit) {
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let number: f64 = number.parse().ok().filter(|_| is_number)?;
            seconds += number * length;
            text = rest;
        }
    }
    text.is_empty().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_duration_has_parts_in_order() {
        for (text, millis) in [
            ("PT0S", 0),
            ("PT7H52M30S", 28_350_000),
            ("PT7H", 25_200_000),
            ("PT30.5S", 30_500),
            ("PT1H0.25S", 3_600_250),
            ("P1DT1M", 86_460_000),
            ("P1D", 86_400_000),
        ] {
            assert_eq!(parse(text).map(|found| found.as_millis()), Some(millis), "{text}");
        }
        for text in [
            "", "P", "PT", "7H", "PT7", "PT-1H", "PT1M2H", "PTH", "PT1e3S", "PTinfS", "P1M", "PT1H T", "P1DT",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
