//! Each record of a file is an item, a part of one, a counted duplicate or a rejection.

use crate::Format;
use crate::segments::DUPLICATES_NOTE;
use crate::test_support::{GeneratedRecord, RecordForm, RecordKind, layouts};
use crate::testing::{read, rejections, sessions};
use application::ports::import_source::ImportItem;
use domain::sleep::StageEntry;
use proptest::prelude::*;
use std::collections::HashSet;

/// Distance of two starts in minutes.
const APART: i64 = 100;

/// Records that do not overlap.
fn records() -> impl Strategy<Value = Vec<GeneratedRecord>> {
    let form = prop_oneof![
        3 => Just(RecordForm::Plain),
        3 => Just(RecordForm::Repeated),
        1 => Just(RecordForm::Unreadable),
        1 => Just(RecordForm::Blank),
    ];
    let drawn = prop::collection::vec((prop_oneof![1 => -30_i64..=0, 4 => 1_i64..90], form), 1..12);
    drawn.prop_map(|drawn| {
        let records = drawn.into_iter().zip(1..);
        records
            .map(|((length, form), number)| GeneratedRecord { start: number * APART, length, form })
            .collect()
    })
}

/// Counts the records that the reader dropped because the file repeats them.
pub(super) fn duplicates(items: &[ImportItem]) -> usize {
    let amount = |item: &ImportItem| match item {
        ImportItem::Note(note) if note.reason == DUPLICATES_NOTE => note.amount,
        _ => None,
    };
    usize::try_from(items.iter().filter_map(amount).sum::<u64>()).unwrap()
}

proptest! {
    #[test]
    fn each_record_is_one_item_or_a_counted_duplicate_with_its_place(
        records in records(),
        layout in prop::sample::select(layouts(RecordKind::Whole)),
    ) {
        let ((format, layout), is_note) = (layout, |item: &&ImportItem| matches!(item, ImportItem::Note(_)));
        let file = layout.file(0, &records);
        prop_assume!(!file.text.trim().is_empty());
        let items = read(&file.bytes(), format, "UTC").unwrap();
        let found: Vec<_> = items.iter().filter(|item| !is_note(item)).map(ImportItem::place).collect();
        prop_assert_eq!(found.len() + duplicates(&items), file.count, "{}", file.text);
        let places: HashSet<_> = found.iter().collect();
        prop_assert_eq!(places.len(), found.len());
    }

    #[test]
    fn each_record_of_a_chain_is_a_part_a_counted_duplicate_or_rejected(
        records in records(),
        layout in prop::sample::select(layouts(RecordKind::Sample)),
    ) {
        let (format, layout) = layout;
        let file = layout.file(0, &records);
        let items = read(&file.bytes(), format, "UTC").unwrap();
        let parts: usize = sessions(&items).iter().map(|record| record.hypnogram().len()).sum();
        let accounted = parts + duplicates(&items) + rejections(&items).len();
        prop_assert_eq!(accounted, file.count, "{}", file.text);
    }

    #[test]
    fn each_epoch_of_a_hypnogram_is_part_of_its_night_unless_that_is_rejected(
        epochs in prop::collection::vec(prop_oneof![20 => -1_i64..=4, 1 => Just(7)], 1..60),
    ) {
        let text = epochs.iter().map(i64::to_string).collect::<Vec<_>>().join("\n");
        let items = read(text.as_bytes(), Format::Hypnogram, "UTC").unwrap();
        let nights = sessions(&items);
        let millis = nights.iter().flat_map(|night| night.hypnogram().entries()).map(StageEntry::millis);
        let is_valid = !epochs.contains(&7);
        prop_assert_eq!((items.len(), nights.len()), (1, usize::from(is_valid)));
        let expected = if is_valid { 30_000 * i64::try_from(epochs.len()).unwrap() } else { 0 };
        prop_assert_eq!(millis.sum::<i64>(), expected);
    }
}
