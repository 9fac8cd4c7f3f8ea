//! Local times of the web export.

use chrono::{NaiveDate, NaiveDateTime};

/// Parses `YYYY-MM-DD` or `DD-MM-YYYY`, then `h:mm` with am or pm in any case, with or without a space before
/// it, or `hh:mm` in 24 hours.
pub(super) fn parse(text: &str) -> Option<NaiveDateTime> {
    let (date, clock) = text.trim().split_once(char::is_whitespace)?;
    let date = parse_date(date)?;
    let (hour, minute) = parse_clock(clock)?;
    date.and_hms_opt(hour, minute, 0)
}

fn parse_date(text: &str) -> Option<NaiveDate> {
    let mut parts = text.split('-');
    let (first, month, last) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
    if year.len() != 4 {
        return None;
    }
    NaiveDate::from_ymd_opt(i32::try_from(number(year)?).ok()?, number(month)?, number(day)?)
}

fn parse_clock(text: &str) -> Option<(u32, u32)> {
    let text = text.trim().to_ascii_lowercase();
    let (clock, half) = if let Some(clock) = text.strip_suffix("am") {
        (clock, Some(0))
    } else if let Some(clock) = text.strip_suffix("pm") {
        (clock, Some(12))
    } else {
        (text.as_str(), None)
    };
    let (hour, minute) = clock.trim_end().split_once(':')?;
    let (hour, minute) = (number(hour)?, number(minute).filter(|_| minute.len() == 2)?);
    match half {
        Some(half) => (1..=12).contains(&hour).then_some((hour % 12 + half, minute)),
        None => Some((hour, minute)),
    }
}

fn number(text: &str) -> Option<u32> {
    let plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_orders_of_the_date_and_every_way_to_write_the_clock_are_read() {
        for (text, expected) in [
            ("2026-03-05 11:38PM", "2026-03-05 23:38:00"),
            ("05-03-2026 11:38 pm", "2026-03-05 23:38:00"),
            ("2026-03-05 12:00am", "2026-03-05 00:00:00"),
            ("2026-03-05 12:00 Pm", "2026-03-05 12:00:00"),
            ("2026-03-05 7:08AM", "2026-03-05 07:08:00"),
            (" 2026-03-05  23:38 ", "2026-03-05 23:38:00"),
        ] {
            assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_a_time() {
        for text in [
            "",
            "2026-03-05",
            "2026-03-05 13:00PM",
            "2026-03-05 0:10am",
            "2026-02-30 1:00am",
            "2026-3-5-1 1:00am",
            "26-03-05 1:00am",
            "2026-03-05 1:5am",
            "2026-03-05 24:00",
            "2026-03-05 +1:00",
            "03/05/2026 1:00am",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
