//! Files that contain a label twice.

use crate::Harness;
use crate::fixture::{catalogue_key, label, log, now, supplement_id, user, user_id};
use crate::import_concurrency::SmallBatches;
use crate::service::import_records;
use application::import::{Counts, FileInfo, ImportRecordsCommand, ImportReport};
use application::ports::import_source::{ImportItem, ImportedLog, ImportedSupplement};
use domain::import::FileName;
use domain::time::TimeZone;
use std::ops::ControlFlow;

fn supplement(id: u64, key: u64, name: &str) -> ImportItem {
    ImportItem::Supplement(Box::new(ImportedSupplement {
        place: format!("label {id} {key} {name}"),
        file: 0,
        id: Some(supplement_id(id)),
        key: catalogue_key(key),
        label: label(name),
        entry_date: None,
    }))
}

/// A file with one id for two keys, in one batch and in the next, and a log of that id.
fn labels_of_one_id() -> SmallBatches {
    let others = (5..10).map(|number| supplement(number, number, "Another"));
    let first = [supplement(1, 1, "Magnesium"), supplement(1, 2, "Zinc")];
    let then = [supplement(1, 3, "Iron"), supplement(1, 1, "Magnesium, again")];
    let record = log(1, 1, now()).record;
    let taken = ImportedLog { place: "an intake".to_owned(), file: 0, id: None, upc: None, record };
    let items = first.into_iter().chain(others).chain(then).chain([ImportItem::Log(Box::new(taken))]);
    SmallBatches(items.collect())
}

async fn import(harness: &Harness, file: &SmallBatches) -> ImportReport {
    let about = FileInfo::File { name: FileName::clean("items"), zone: TimeZone::UTC };
    let user_id = Some(user_id(1));
    let command = ImportRecordsCommand { user_id, dry_run: false, overwrite_profile: false, about };
    import_records(harness).run(&command, file, &|_, _| ControlFlow::Continue(())).await.unwrap().report
}

pub(crate) async fn a_label_id_that_a_file_has_twice_is_stored_the_same_each_time(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut stored = None;
    for time in 0..3 {
        let report = import(harness, &labels_of_one_id()).await;
        let (labels, logs) = match time {
            0 => (Counts { new: 8, updated: 0, unchanged: 0 }, Counts { new: 1, updated: 0, unchanged: 0 }),
            _ => (Counts { new: 0, updated: 0, unchanged: 8 }, Counts { new: 0, updated: 0, unchanged: 1 }),
        };
        assert_eq!((report.supplements, report.logs, report.rejected_total), (labels, logs, 0));
        assert_eq!(report.notes_total, 3, "{report:?}");
        let mut unit = harness.begin().await;
        let mut current = unit.supplements().find_current_many(&[1, 2, 3].map(catalogue_key)).await.unwrap();
        unit.rollback().await.unwrap();
        current.sort_by(|(one, _), (other, _)| one.cmp(other));
        let names: Vec<_> = current.iter().map(|(_, supplement)| supplement.label.name()).collect();
        assert_eq!(names, ["Magnesium", "Zinc", "Iron"]);
        assert_eq!(current[0].1.id, supplement_id(1));
        let logs = harness.supplements.walk_logs(user_id(1), None, 10).await.unwrap();
        assert_eq!(logs.iter().map(|log| log.record.supplement_id()).collect::<Vec<_>>(), [supplement_id(1)]);
        let found = (current, logs);
        assert_eq!(stored.get_or_insert_with(|| found.clone()), &found);
    }
}
