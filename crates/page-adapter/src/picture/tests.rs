use super::{dates, dates_and_year, source_name};
use chrono::NaiveDate;

#[test]
fn long_names_of_sources_are_shortened() {
    assert_eq!(source_name(None), "Unknown source");
    assert_eq!(source_name(Some(&"é".repeat(40))), "é".repeat(40));
    assert_eq!(source_name(Some(&"é".repeat(41))), format!("{}…", "é".repeat(40)));
}

#[test]
fn dates_name_the_month_and_the_year_once_if_they_are_the_same() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    assert_eq!(dates(date("2026-03-23"), date("2026-03-29")), "23 to 29 March");
    assert_eq!(dates(date("2025-12-29"), date("2026-01-04")), "29 December 2025 to 4 January 2026");
    assert_eq!(dates_and_year(date("2026-03-23"), date("2026-04-05")), "23 March to 5 April 2026");
    assert_eq!(dates_and_year(date("2025-12-08"), date("2026-01-04")), "8 December 2025 to 4 January 2026");
}
