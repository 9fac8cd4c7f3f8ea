use super::super::testing::{between, entries_and_frame, entry, minute, night};
use super::{Hypnogram, InvalidHypnogram, Stage, StageEntry, TimeInBed};
use Stage::{Asleep, Awake, Deep, Light, Rem, Unknown};
use chrono::{DateTime, Duration, Utc};
use proptest::prelude::*;

/// Flattens entries given in minutes of a night of 480 minutes, and returns minutes.
fn flat(entries: &[(Stage, i64, i64)]) -> Vec<(Stage, i64, i64)> {
    let entries = entries.iter().map(|&(stage, start, end)| entry(stage, start, end)).collect();
    minutes(&Hypnogram::flatten(entries, &night(480)).unwrap())
}

fn minutes(hypnogram: &Hypnogram) -> Vec<(Stage, i64, i64)> {
    let from_start = |at: DateTime<Utc>| (at - minute(0)).num_minutes();
    let entries = hypnogram.entries().iter();
    entries.map(|entry| (entry.stage(), from_start(entry.start()), from_start(entry.end()))).collect()
}

#[test]
fn an_entry_has_an_end_after_its_start() {
    assert!(StageEntry::new(Light, minute(1), minute(1)).is_err());
    assert!(StageEntry::new(Light, minute(2), minute(1)).is_err());
    assert!(StageEntry::new(Light, minute(1), minute(1) + Duration::microseconds(999)).is_err());
}

#[test]
fn entries_out_of_order_overlapping_or_outside_are_rejected() {
    let make = |entries: Vec<StageEntry>| Hypnogram::new(entries, &between(10, 100));
    assert!(make(vec![entry(Light, 10, 20), entry(Deep, 20, 100)]).is_ok());
    assert!(make(vec![]).is_ok());
    let overlapping = make(vec![entry(Light, 10, 21), entry(Deep, 20, 30)]);
    assert_eq!(overlapping, Err(InvalidHypnogram::OutOfOrder));
    let backwards = make(vec![entry(Light, 30, 40), entry(Deep, 20, 30)]);
    assert_eq!(backwards, Err(InvalidHypnogram::OutOfOrder));
    assert_eq!(make(vec![entry(Light, 9, 20)]), Err(InvalidHypnogram::OutsideTimeInBed));
    assert_eq!(make(vec![entry(Light, 90, 101)]), Err(InvalidHypnogram::OutsideTimeInBed));
}

#[test]
fn a_session_has_at_most_the_half_minutes_of_seven_days() {
    let at = |number: usize| minute(0) + Duration::milliseconds(i64::try_from(number).unwrap());
    let entries = |count: usize| -> Vec<_> {
        (0..count).map(|number| StageEntry::new(Light, at(number), at(number + 1)).unwrap()).collect()
    };
    let most = Hypnogram::MAX_ENTRIES;
    assert_eq!(i64::try_from(most).unwrap() * 30_000, TimeInBed::MAX_MILLIS);
    assert_eq!(Hypnogram::flatten(entries(most), &night(480)).map(|flat| flat.len()), Ok(most));
    assert_eq!(Hypnogram::flatten(entries(most + 1), &night(480)), Err(InvalidHypnogram::TooMany));
    assert_eq!(Hypnogram::new(entries(most + 1), &night(480)), Err(InvalidHypnogram::TooMany));
}

#[test]
fn the_higher_stage_wins_and_cuts_the_lower_in_two() {
    let flat = flat(&[(Light, 0, 100), (Awake, 40, 50)]);
    assert_eq!(flat, [(Light, 0, 40), (Awake, 40, 50), (Light, 50, 100)]);
}

#[test]
fn a_stage_keeps_only_the_time_not_covered_by_a_stage_of_higher_priority() {
    let nested = flat(&[(Deep, 10, 60), (Rem, 20, 30), (Light, 50, 80), (Asleep, 0, 100), (Unknown, 0, 120)]);
    assert_eq!(
        nested,
        [(Asleep, 0, 10), (Deep, 10, 60), (Light, 60, 80), (Asleep, 80, 100), (Unknown, 100, 120)]
    );
}

#[test]
fn adjacent_equal_entries_are_not_merged() {
    assert_eq!(flat(&[(Light, 10, 20), (Light, 0, 10)]), [(Light, 0, 10), (Light, 10, 20)]);
}

#[test]
fn of_equal_entries_that_overlap_the_first_keeps_the_shared_stretch() {
    assert_eq!(flat(&[(Light, 5, 15), (Light, 0, 10)]), [(Light, 0, 10), (Light, 10, 15)]);
    assert_eq!(flat(&[(Light, 0, 10), (Light, 0, 10), (Light, 0, 20)]), [(Light, 0, 20)]);
}

#[test]
fn entries_are_clipped_and_what_is_left_empty_is_dropped() {
    let flat = flat(&[(Light, -30, 10), (Deep, 470, 500), (Rem, 480, 490), (Awake, -10, 0)]);
    assert_eq!(flat, [(Light, 0, 10), (Deep, 470, 480)]);
}

#[test]
fn short_wakes_lie_over_the_base_whatever_they_are_called() {
    let base = vec![entry(Deep, 0, 30), entry(Rem, 30, 60)];
    let wakes = vec![entry(Unknown, 28, 31), entry(Awake, 40, 42)];
    let overlaid = minutes(&Hypnogram::overlay(base, wakes, &night(480)).unwrap());
    assert_eq!(overlaid, [(Deep, 0, 28), (Awake, 28, 31), (Rem, 31, 40), (Awake, 40, 42), (Rem, 42, 60)]);
}

proptest! {
    #[test]
    fn a_flat_line_is_ordered_disjoint_and_within_the_time_in_bed((entries, frame) in entries_and_frame()) {
        let flat = Hypnogram::flatten(entries, &frame).unwrap();
        for entry in flat.entries() {
            prop_assert!(frame.start() <= entry.start() && entry.start() < entry.end() && entry.end() <= frame.end());
        }
        for pair in flat.entries().windows(2) {
            prop_assert!(pair[0].end() <= pair[1].start());
        }
    }

    #[test]
    fn each_instant_has_the_highest_stage_that_covers_it((entries, frame) in entries_and_frame()) {
        let flat = Hypnogram::flatten(entries.clone(), &frame).unwrap();
        let mut instants: Vec<_> = entries.iter().flat_map(|entry| [entry.start(), entry.end()]).collect();
        instants.extend([frame.start(), frame.end()]);
        instants.retain(|&at| frame.start() <= at && at < frame.end());
        for at in instants {
            let covers = |entry: &&StageEntry| entry.start() <= at && at < entry.end();
            let highest = entries.iter().filter(covers).map(StageEntry::stage).max_by_key(|stage| stage.priority());
            prop_assert_eq!(flat.entries().iter().find(covers).map(StageEntry::stage), highest);
        }
    }

    #[test]
    fn each_piece_is_a_part_of_one_entry_and_the_order_of_entries_does_not_matter(
        (entries, frame) in entries_and_frame(), turn in 0_usize..40,
    ) {
        let flat = Hypnogram::flatten(entries.clone(), &frame).unwrap();
        for piece in flat.entries() {
            let whole = |entry: &StageEntry| {
                entry.stage() == piece.stage() && entry.start() <= piece.start() && piece.end() <= entry.end()
            };
            prop_assert!(entries.iter().any(whole));
        }
        let mut turned = entries;
        let places = turned.len().max(1);
        turned.rotate_left(turn % places);
        turned.reverse();
        prop_assert_eq!(Hypnogram::flatten(turned, &frame).unwrap(), flat);
    }

    #[test]
    fn flattening_is_idempotent((entries, frame) in entries_and_frame()) {
        let flat = Hypnogram::flatten(entries, &frame).unwrap();
        prop_assert_eq!(Hypnogram::flatten(flat.entries().to_vec(), &frame), Ok(flat));
    }
}
