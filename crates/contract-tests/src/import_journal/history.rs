//! Random imports, undone from the latest to the first.

use super::{imports, prepare};
use crate::Harness;
use crate::fixture::{catalogue_key, label, minute, now, supplement_id, user_id};
use crate::import_concurrency::SmallBatches;
use crate::service::import_records;
use application::import::{FileInfo, ImportRecordsCommand};
use application::ports::import_source::{ImportItem, ImportedLog, ImportedSession, ImportedSupplement};
use domain::id::ImportId;
use domain::import::{FileName, RecordPosition};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed,
};
use domain::supplement::{IntakeLogRecord, Servings};
use domain::time::TimeZone;
use std::ops::ControlFlow;

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn minutes(&mut self, bound: u64, unit: i64) -> i64 {
        i64::try_from(self.below(bound)).unwrap() * unit
    }
}

/// Returns a night that overlaps others, some with the same start; with or without stages, sometimes with a
/// key.
fn night(random: &mut Random) -> ImportItem {
    let (start, length) = (random.minutes(6, 100), 90 + random.minutes(4, 90));
    let time_in_bed = TimeInBed::new(minute(start), minute(start + length), None, None).unwrap();
    let key = match random.below(4) {
        0 => SessionKey::from_source(&format!("night {}", random.below(3))).unwrap(),
        _ => SessionKey::derived_from(time_in_bed.start()),
    };
    let source = SleepSource::parse("watch").ok();
    let head = SleepRecordHead { key, source, time_in_bed, is_nap: None };
    let stage = if random.below(2) == 0 { Stage::Deep } else { Stage::Light };
    let entry = StageEntry::new(stage, time_in_bed.start(), time_in_bed.end()).unwrap();
    let entries = if random.below(3) == 0 { Vec::new() } else { vec![entry] };
    let record = SleepRecord::from_stages(head, Hypnogram::new(entries, &time_in_bed).unwrap()).unwrap();
    let position = RecordPosition { file: u32::try_from(random.below(3)).unwrap(), number: random.below(9) };
    let place = "a night".to_owned();
    ImportItem::Session(Box::new(ImportedSession { place, position, id: None, record, updated_at: None }))
}

fn intake(random: &mut Random) -> ImportItem {
    let at = now() + chrono::TimeDelta::minutes(random.minutes(3, 1));
    let servings = Servings::new(if random.below(2) == 0 { 1.0 } else { 2.5 }).unwrap();
    let key = (random.below(2) == 0).then(|| format!("log {}", random.below(2)));
    let record = IntakeLogRecord::new(supplement_id(1 + random.below(2)), at, servings, key).unwrap();
    ImportItem::Log(Box::new(ImportedLog {
        place: "an intake".to_owned(),
        file: 0,
        id: None,
        upc: None,
        record,
    }))
}

fn relabelled(random: &mut Random) -> ImportItem {
    let (key, label) = (catalogue_key(1 + random.below(4)), label(&format!("Label {}", random.below(3))));
    let place = "a label".to_owned();
    ImportItem::Supplement(Box::new(ImportedSupplement {
        place,
        file: 0,
        id: None,
        key,
        label,
        entry_date: None,
    }))
}

fn file(random: &mut Random) -> SmallBatches {
    let item = |_| match random.below(6) {
        0 => relabelled(random),
        1 => intake(random),
        _ => night(random),
    };
    SmallBatches((0..16).map(item).collect())
}

/// Returns everything that an import may change, without modification times.
async fn records(harness: &Harness) -> Vec<String> {
    let sessions = harness.sleep.walk(user_id(1), None, 1_000).await.unwrap();
    let logs = harness.supplements.walk_logs(user_id(1), None, 1_000).await.unwrap();
    let mut unit = harness.begin().await;
    let keys: Vec<_> = (1..=4).map(catalogue_key).collect();
    let mut labels = unit.supplements().find_current_many(&keys).await.unwrap();
    unit.rollback().await.unwrap();
    labels.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut all: Vec<_> =
        sessions.iter().map(|session| format!("{} {:?}", session.id, session.record)).collect();
    all.extend(logs.iter().map(|log| format!("{log:?}")));
    all.sort();
    all.extend(labels.iter().map(|label| format!("{label:?}")));
    all
}

async fn import(harness: &Harness, file: SmallBatches) -> ImportId {
    let about = FileInfo::File { name: FileName::clean("items"), zone: TimeZone::UTC };
    let command =
        ImportRecordsCommand { user_id: Some(user_id(1)), dry_run: false, overwrite_profile: false, about };
    let imported =
        import_records(harness).run(&command, &file, &|_, _| ControlFlow::Continue(())).await.unwrap();
    imported.id.unwrap()
}

pub(crate) async fn imports_undone_latest_first_restore_the_state_before_each(harness: &Harness) {
    prepare(harness).await;
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut steps = Vec::new();
        for _ in 0..2 + random.below(4) {
            let before = records(harness).await;
            steps.push((import(harness, file(&mut random)).await, before));
        }
        let imports = imports(harness);
        for (id, before) in steps.into_iter().rev() {
            let undone = imports.undo(id, None).await.unwrap();
            assert_eq!(undone.kept, [], "{seed}");
            assert_eq!(records(harness).await, before, "{seed}");
        }
    }
}
