//! Corrupt rows.

use super::equality::envelope;
use crate::data::render::page::Items as _;
use crate::data::render::{SleepItems, answer};
use crate::data::sleep::Include;
use crate::data::tests::sample;
use application::StorageError;
use application::read::{PackedPart, PackedSleepRow};
use proptest::prelude::*;

/// Damaged part and the function that damages it.
type Damage = (PackedPart, fn(&mut PackedSleepRow));

const DAMAGES: [Damage; 4] = [
    (PackedPart::Stages, |row| row.stages = shortened(&row.stages)),
    (PackedPart::Stages, |row| row.ended_at_millis = row.started_at_millis + 1),
    (PackedPart::Stages, |row| row.stages = Box::from([0xff, 1, 1])),
    (PackedPart::Metrics, |row| row.metrics = shortened(&row.metrics)),
];

fn shortened(packed: &[u8]) -> Box<[u8]> {
    packed.split_last().map_or(&[] as &[u8], |(_, rest)| rest).into()
}

fn render(rows: Vec<PackedSleepRow>, include: Include) -> Result<(), StorageError> {
    answer(SleepItems::new(rows, include), &envelope()).map(|_| ())
}

#[test]
fn a_corrupt_row_anywhere_is_an_error_before_the_page_is_sent() {
    for (count, places) in [(30, [0, 15, 29]), (1_000, [0, 500, 999])] {
        let nights: Vec<_> = (0..count).map(|number| sample::packed(&sample::night(number))).collect();
        for (place, (damaged, damage)) in
            places.into_iter().flat_map(|place| DAMAGES.map(|damage| (place, damage)))
        {
            let mut rows = nights.clone();
            damage(&mut rows[place]);
            let expected = rows[place].corrupt(damaged).to_string();
            let error = render(rows, Include::ALL).unwrap_err();
            assert_eq!(error.to_string(), expected, "{count} {place}");
        }
    }
}

#[test]
fn parts_that_are_not_requested_are_not_validated() {
    for (_, damage) in DAMAGES {
        let mut row = sample::packed(&sample::night(1));
        damage(&mut row);
        render(vec![row], Include { stages: false, metrics: false }).unwrap();
    }
}

proptest! {
    #[test]
    fn a_row_is_written_exactly_when_it_passes_the_check(
        mut stages in prop::collection::vec(any::<u8>(), 0..24),
        mut metrics in prop::collection::vec(any::<u8>(), 0..24),
        minutes in 0_i64..200,
        has_header: bool,
    ) {
        let mut row = sample::packed(&sample::night(1));
        if has_header {
            // With a valid beginning, so that more than the header is read.
            stages.splice(..0, row.stages.first().copied());
            metrics.splice(..0, row.metrics.first().copied());
        }
        (row.stages, row.metrics) = (stages.into(), metrics.into());
        row.ended_at_millis = row.started_at_millis + minutes * 60_000;
        let mut items = SleepItems::new(vec![row], Include::ALL);
        let checked = items.check().is_ok();
        prop_assert_eq!(items.write_next(&mut Vec::new()).is_ok(), checked);
    }
}
