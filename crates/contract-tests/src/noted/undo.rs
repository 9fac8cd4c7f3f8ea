//! Random imports, undone in a random order, against a model: of each record what the last import left.

use super::{
    Harness, ImportChange, IntakeLog, RecordBefore, RecordReference, SleepSession, Standing, User, import_id,
    log, log_id, made, now, persons_import, prepare, session, session_id, user, user_id,
};
use application::ports::storage::UnitOfWork;
use domain::time::TimeZone;
use std::collections::BTreeMap;

/// What there is under a record's number.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Session(SleepSession),
    Log(IntakeLog),
    Profile(User),
}

impl Value {
    fn into_before(self) -> RecordBefore {
        match self {
            Self::Session(session) => RecordBefore::Session(Box::new(session)),
            Self::Log(log) => RecordBefore::Log(Box::new(log)),
            Self::Profile(user) => RecordBefore::Profile(Box::new(user)),
        }
    }

    fn of_before(before: RecordBefore) -> Self {
        match before {
            RecordBefore::Session(session) => Self::Session(*session),
            RecordBefore::Log(log) => Self::Log(*log),
            RecordBefore::Profile(user) => Self::Profile(*user),
            RecordBefore::Label(_) => panic!("no labels here"),
        }
    }
}

/// Numbers that look random and are the same in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Three sessions, two logs, the profile.
const RECORDS: u64 = 6;

fn reference(record: u64) -> RecordReference {
    match record {
        0..=2 => RecordReference::Session(session_id(record + 1)),
        3..=4 => RecordReference::Log(log_id(record)),
        _ => RecordReference::Profile(user_id(1)),
    }
}

/// One of many values that a record may have.
fn value(record: u64, variant: u64) -> Value {
    match record {
        0..=2 => {
            let start = i64::try_from(record * 100_000 + variant).unwrap();
            Value::Session(session(record + 1, start))
        }
        3..=4 => Value::Log(log(
            record,
            1 + variant % 2,
            now() + chrono::TimeDelta::seconds(i64::try_from(variant).unwrap()),
        )),
        _ => {
            let zone = ["Europe/Berlin", "Asia/Tokyo", "America/Lima", "Africa/Cairo"];
            let zone = zone[usize::try_from(variant % 4).unwrap()];
            Value::Profile(User { home_timezone: TimeZone::parse(zone).unwrap(), ..user(1) })
        }
    }
}

async fn read(unit: &mut dyn UnitOfWork, record: u64) -> Option<Value> {
    match reference(record) {
        RecordReference::Session(id) => {
            unit.sleep().find_many(user_id(1), &[id]).await.unwrap().pop().map(Value::Session)
        }
        RecordReference::Log(id) => {
            unit.intake_logs().find_many(user_id(1), &[id]).await.unwrap().pop().map(Value::Log)
        }
        RecordReference::Profile(id) => unit.users().find(id).await.unwrap().map(Value::Profile),
        RecordReference::Label(_) => panic!("no labels here"),
    }
}

/// Makes a record what it shall be.
async fn write(unit: &mut dyn UnitOfWork, record: RecordReference, value: Option<Value>) {
    let person = user_id(1);
    match (record, value) {
        (RecordReference::Session(_), Some(Value::Session(session))) => {
            if !unit.sleep().update(person, &session).await.unwrap() {
                unit.sleep().insert(person, &[session]).await.unwrap();
            }
        }
        // An import may have made a record and taken it away again.
        (RecordReference::Session(id), None) => {
            unit.sleep().delete(person, &[id]).await.unwrap();
        }
        (RecordReference::Log(_), Some(Value::Log(log))) => {
            if !unit.intake_logs().update(person, &log).await.unwrap() {
                unit.intake_logs().insert(person, &[log]).await.unwrap();
            }
        }
        (RecordReference::Log(id), None) => {
            unit.intake_logs().delete(person, &[id]).await.unwrap();
        }
        (RecordReference::Profile(_), Some(Value::Profile(user))) => {
            assert!(unit.users().update(&user).await.unwrap());
        }
        (record, value) => panic!("{record:?} cannot be {value:?}"),
    }
}

/// Lets an import do something to a few records; returns what it left of each.
async fn run_import(harness: &Harness, import: u64, dice: &mut Dice) -> BTreeMap<u64, Option<Value>> {
    let mut left = BTreeMap::new();
    let mut unit = harness.begin().await;
    for _ in 0..=dice.roll(8) {
        let record = dice.roll(RECORDS);
        let before = read(unit.as_mut(), record).await;
        let is_taken_away = before.is_some() && record < 5 && dice.roll(3) == 0;
        let after = (!is_taken_away).then(|| value(record, dice.roll(1000)));
        let reference = reference(record);
        write(unit.as_mut(), reference, after.clone()).await;
        let change = match before {
            None => made(reference),
            Some(before) => ImportChange { record: reference, before: Some(before.into_before()) },
        };
        super::note(unit.as_mut(), import, &[change]).await;
        left.insert(record, after);
    }
    unit.commit().await.unwrap();
    left
}

/// Takes an import back, a few records at a time, as the use case does.
async fn undo(harness: &Harness, import: u64) {
    let id = import_id(import);
    loop {
        let mut unit = harness.begin().await;
        let noted = unit.imports().noted(id, 2).await.unwrap();
        if noted.is_empty() {
            break;
        }
        for (ImportChange { record, before }, standing) in noted {
            match standing {
                Standing::Latest => write(unit.as_mut(), record, before.map(Value::of_before)).await,
                Standing::ChangedBy(later) => {
                    unit.imports().rebase(later, record, before).await.unwrap();
                }
                Standing::Overtaken => panic!("{record:?} is overtaken"),
            }
            unit.imports().forget(id, record).await.unwrap();
        }
        unit.commit().await.unwrap();
    }
}

/// Runs imports and undoes all of them, looking at every record after each.
async fn check(harness: &Harness, dice: &mut Dice, first: u64) {
    let mut initial = BTreeMap::new();
    let mut unit = harness.begin().await;
    for record in 0..RECORDS {
        initial.insert(record, read(unit.as_mut(), record).await);
    }
    drop(unit);
    let mut imports = Vec::new();
    for import in first..first + 3 + dice.roll(3) {
        if import > 3 {
            let mut unit = harness.begin().await;
            unit.imports().insert(&persons_import(import)).await.unwrap();
            unit.commit().await.unwrap();
        }
        let left = run_import(harness, import, dice).await;
        imports.push((import, left));
    }
    while !imports.is_empty() {
        let index = dice.roll(imports.len().try_into().unwrap());
        let (import, _) = imports.remove(index.try_into().unwrap());
        undo(harness, import).await;
        let mut expected = initial.clone();
        for (_, left) in &imports {
            expected.extend(left.clone());
        }
        let mut unit = harness.begin().await;
        for (record, expected) in expected {
            let found = read(unit.as_mut(), record).await;
            assert_eq!(found, expected, "record {record} after import {import} was undone");
        }
    }
}

pub(crate) async fn imports_undone_in_any_order_leave_what_the_others_made(harness: &Harness) {
    prepare(harness).await;
    for seed in 0..20 {
        check(harness, &mut Dice(seed), 1 + seed * 10).await;
    }
}
