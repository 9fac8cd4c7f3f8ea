//! Audit events of exports.

use super::{RecordingWriter, SECTIONS, profiles};
use crate::audit::testing::{RecordedReads, assert_events, event};
use crate::export::{ExportQuery, ExportRecords, ExportRecordsError, Exporter};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockProfileReader, StorageError};
use crate::ports::system::MockPause;
use crate::record::RecordReaders;
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{client_id, clock, entropy, profile_reader, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::id::PersonalTokenId;
use domain::read_tally::Reader;
use domain::scope::ScopeSet;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// Exports of a store from which only the profile is read.
fn exports(profiles: Arc<MockProfileReader>, units: Arc<PreparedUnitsOfWork>) -> ExportRecords {
    let readers = RecordReaders { profiles, ..RecordReaders::unused() };
    ExportRecords::new(
        readers,
        Arc::new(MockPause::new()),
        Store { units, trail: AuditTrail::new(entropy(), clock()) },
    )
}

fn units(number: usize) -> Arc<PreparedUnitsOfWork> {
    Arc::new(PreparedUnitsOfWork::new((0..number).map(|_| MockUnitOfWork::default())))
}

/// Opens an export and drops it at once.
async fn open(exports: &ExportRecords, by: Exporter) -> Result<(), ExportRecordsError> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let writer = RecordingWriter { sections: SECTIONS, kept, bytes: Vec::new(), room: 0 };
    let query = ExportQuery { user_id: user_id(1), scopes: ScopeSet::CONSENTABLE, by };
    exports.open(query, Box::new(writer)).await.map(drop)
}

fn reader(reader: Reader) -> Exporter {
    Exporter::Reader(reader, Arc::new(RecordedReads::default()).recorder())
}

fn token() -> PersonalTokenId {
    PersonalTokenId::from_uuid(Uuid::from_u128(7))
}

#[tokio::test]
async fn an_export_aborted_at_once_is_audited() {
    let exported = |actor| event(actor, AuditKind::DataExported).user(user_id(1));
    let cases = [
        (Exporter::Person, exported(AuditActor::Person)),
        (Exporter::Operator, exported(AuditActor::Operator)),
        (reader(Reader::Client(client_id(3))), exported(AuditActor::Client).client(client_id(3))),
        (reader(Reader::PersonalToken(token())), exported(AuditActor::Person).subject(token().as_uuid())),
    ];
    for (by, expected) in cases {
        let units = units(1);
        open(&exports(profiles(), units.clone()), by).await.unwrap();
        assert_events(&units.events(), &[expected]);
        assert_eq!(units.endings().committed(), 1);
    }
}

#[tokio::test]
async fn an_app_that_exports_all_day_records_one_event_in_one_unit_of_work() {
    for by in [reader(Reader::Client(client_id(3))), reader(Reader::PersonalToken(token()))] {
        let units = units(1);
        let exports = exports(profiles(), units.clone());
        for _ in 0..3 {
            open(&exports, by.clone()).await.unwrap();
        }
        assert_eq!((units.events().all().len(), units.endings().opened()), (1, 1));
    }
}

#[tokio::test]
async fn an_export_that_cannot_be_traced_does_not_begin() {
    let outcome = open(&exports(profiles(), units(0)), Exporter::Person).await;
    assert!(matches!(outcome, Err(ExportRecordsError::Storage(StorageError::Unavailable))));
}

#[tokio::test]
async fn no_event_is_stored_for_an_unknown_person() {
    let units = units(1);
    let outcome = open(&exports(profile_reader(|_| Ok(None)), units.clone()), Exporter::Operator).await;
    assert!(matches!(outcome, Err(ExportRecordsError::UnknownUser)));
    assert_events(&units.events(), &[]);
}
