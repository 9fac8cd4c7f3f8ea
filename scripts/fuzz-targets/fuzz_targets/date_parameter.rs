//! Date parameters: an accepted value keeps its meaning when printed.
//! A range never ends before it starts.
#![no_main]

use domain::time::{Bound, DateParameter, TimeZone};
use libfuzzer_sys::fuzz_target;

const ZONES: [&str; 6] = [
    "Europe/Berlin",
    "America/St_Johns",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Etc/GMT-14",
];

fuzz_target!(|text: &str| {
    let Ok(date) = DateParameter::parse(text) else { return };
    let printed = date.to_string();
    assert_eq!(DateParameter::parse(&printed), Ok(date), "{printed}");
    assert!(text.starts_with(printed.get(..10).unwrap()), "the day is the one that was written");
    assert!(text.is_ascii() && text.len() <= 35);
    let zones = ZONES.map(|name| TimeZone::parse(name).unwrap());
    for zone in zones.into_iter().chain([TimeZone::UTC]) {
        let (start, end) = (date.resolve(zone, Bound::Start), date.resolve(zone, Bound::End));
        assert_eq!((start.timestamp_subsec_nanos() % 1_000, end.timestamp_subsec_nanos() % 1_000), (0, 0));
        // A fraction below a microsecond is rounded into the range, which may leave the range empty.
        assert!(end - start >= chrono::TimeDelta::microseconds(-1), "{start} {end}");
        assert!(end - start < chrono::TimeDelta::hours(50), "{start} {end}");
    }
});
