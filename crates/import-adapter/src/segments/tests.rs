use super::{Segment, Segments};
use crate::source::Items;
use crate::testing::{frame, stages};
use application::ports::import_source::ImportItem;
use chrono::DateTime;
use domain::sleep::{SleepRecord, SleepSource, Stage};
use domain::time::UtcOffset;

fn segment(from: &str, to: &str, stage: Option<Stage>) -> Segment {
    let at = |clock: &str| DateTime::parse_from_rfc3339(&format!("2026-01-10T{clock}:00Z")).unwrap().to_utc();
    let (start, end) = (at(from), at(to));
    Segment { start, end, offset_at_start: None, offset_at_end: None, stage, at: 7 }
}

fn sessions(added: &[(&str, Segment)]) -> Vec<SleepRecord> {
    crate::testing::sessions(&items(added))
}

fn items(added: &[(&str, Segment)]) -> Vec<ImportItem> {
    let mut segments = Segments::new("line");
    for (source, segment) in added {
        segments.add(&SleepSource::parse(source).unwrap(), segment).unwrap();
    }
    let mut items = Items::default();
    while segments.next_session(&mut items).is_some() {}
    items.take()
}

#[test]
fn a_stretch_joins_when_it_starts_at_most_sixty_minutes_after_the_latest_end() {
    let found = sessions(&[
        ("watch", segment("04:01", "04:02", Some(Stage::Rem))),
        ("watch", segment("01:00", "03:00", None)),
        ("watch", segment("01:10", "01:20", Some(Stage::Light))),
    ]);
    assert_eq!(found.len(), 2);
    assert_eq!(frame(&found[0]), "2026-01-10T01:00:00Z 2026-01-10T03:00:00Z");
    assert_eq!(stages(&found[0]), ["LIGHT 01:10-01:20"]);
    let touching = [("watch", segment("01:00", "03:00", None)), ("watch", segment("04:00", "04:02", None))];
    assert_eq!(sessions(&touching).len(), 1);
}

#[test]
fn sources_are_not_merged_and_duplicates_are_counted_once() {
    let light = segment("01:00", "02:00", Some(Stage::Light));
    let found = sessions(&[("watch", light), ("phone", light), ("watch", light)]);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|record| stages(record) == ["LIGHT 01:00-02:00"]));
}

#[test]
fn duplicates_are_noted_with_their_number() {
    let light = segment("01:00", "02:00", Some(Stage::Light));
    let later = Segment { at: 9, ..light };
    let items = items(&[("watch", later), ("watch", light), ("watch", later)]);
    let expected = ["line 9: records that the import contains more than once were read once: 2"];
    assert_eq!(crate::testing::notes(&items), expected);
}

#[test]
fn a_repeated_time_in_bed_is_a_duplicate_and_a_repeated_period_is_not() {
    let in_bed = segment("01:00", "02:00", None);
    let found = items(&[("watch", in_bed), ("watch", in_bed)]);
    assert_eq!(crate::testing::sessions(&found).len(), 1);
    let expected = ["line 7: records that the import contains more than once were read once: 1"];
    assert_eq!(crate::testing::notes(&found), expected);
    let (mut segments, source) = (Segments::new("record"), SleepSource::parse("watch").unwrap());
    for _ in 0..3 {
        segments.add_period(&source, &in_bed).unwrap();
    }
    let mut items = Items::default();
    while segments.next_session(&mut items).is_some() {}
    assert_eq!(items.take().len(), 1);
}

#[test]
fn a_session_and_a_duplicate_have_the_first_of_their_files() {
    let mut segments = Segments::new("line");
    let source = SleepSource::parse("watch").unwrap();
    let (early, late) = (segment("01:00", "02:00", None), segment("02:00", "03:00", None));
    for (file, number, segment) in [(4, 9, late), (5, 2, early), (6, 1, early), (7, 1, late)] {
        segments.begin_file(file);
        segments.add(&source, &Segment { at: number, ..segment }).unwrap();
    }
    let mut items = Items::default();
    let files: Vec<_> = std::iter::from_fn(|| segments.next_session(&mut items)).collect();
    assert_eq!(files, [6, 4]);
    let items = items.take();
    assert_eq!(items.iter().map(ImportItem::place).collect::<Vec<_>>(), ["line 1", "line 9"]);
}

#[test]
fn of_equal_intervals_the_first_one_is_kept() {
    let [berlin, tokyo] = [60, 540].map(UtcOffset::from_minutes);
    for (first, second) in [(berlin, tokyo), (tokyo, berlin)] {
        let light = segment("01:00", "02:00", Some(Stage::Light));
        let found = sessions(&[
            ("watch", Segment { offset_at_start: second, at: 9, ..light }),
            ("watch", Segment { offset_at_start: first, ..light }),
        ]);
        assert_eq!(found[0].time_in_bed().offset_at_start(), first);
    }
}

#[test]
fn a_chain_that_is_too_long_says_how_many_records_it_drops() {
    let hour = |number: i64| {
        let start = DateTime::from_timestamp(1_768_000_000 + number * 3600, 0).unwrap();
        let (end, stage) = (start + chrono::TimeDelta::hours(1), Some(Stage::Light));
        Segment { start, end, offset_at_start: None, offset_at_end: None, stage, at: 7 }
    };
    let chain: Vec<_> = (0..=7 * 24).map(|number| ("watch", hour(number))).collect();
    let expected =
        "line 7: time in bed: longer than seven days; 169 records that follow each other were dropped";
    assert_eq!(crate::testing::rejections(&items(&chain)), [expected]);
}

#[test]
fn an_interval_that_ends_before_it_starts_is_rejected() {
    let mut segments = Segments::new("line");
    let source = SleepSource::parse("watch").unwrap();
    let outcome = segments.add(&source, &segment("02:00", "02:00", None));
    assert_eq!(outcome, Err("the end is not after the start".to_owned().into()));
    assert_eq!(segments.next_session(&mut Items::default()), None);
}
