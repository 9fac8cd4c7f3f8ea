use super::*;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::{MockSupplementReader, SupplementPage, SupplementPageQuery};
use crate::testing::{client_id, noon, person, seconds, store, supplement_pages, unit_with, units, user_id};
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};

fn intakes(reader: MockSupplementReader) -> Intakes {
    Intakes { store: store(&units([])), reader: Arc::new(reader) }
}

#[tokio::test]
async fn the_supplements_with_the_latest_intakes_of_a_period_are_listed() {
    let (start, end, size) = (noon() - seconds(60), noon(), PageSize::new(2).unwrap());
    let page = PageRequest { number: PageNumber::FIRST, size, sort: SortDirection::Descending };
    let asked = SupplementPageQuery {
        user_id: user_id(1),
        start: Some(start),
        end: Some(end),
        supplement_id: None,
        page,
    };
    let reader = supplement_pages(move |query| {
        assert_eq!(query, asked);
        Ok(SupplementPage::default())
    });
    assert_eq!(intakes(reader).list(user_id(1), start..=end, size).await.unwrap(), []);
}

#[tokio::test]
async fn a_person_deletes_only_entries_made_by_hand_and_a_client_any() {
    let id = IntakeLogId::from_uuid(Uuid::from_u128(7));
    let product = SupplementId::from_uuid(Uuid::from_u128(8));
    let servings = Servings::new(1.0).unwrap();
    let imported = IntakeLogRecord::new(product, noon(), servings, None).unwrap();
    let by_hand =
        IntakeLogRecord::by_hand(product, noon(), servings, FormId::from_uuid(Uuid::nil())).unwrap();
    for (client_id, record, actor) in [
        (None, &by_hand, Some(AuditActor::Person)),
        (None, &imported, None),
        (Some(client_id(1)), &imported, Some(AuditActor::Client)),
    ] {
        let log = record.clone().with_id(id);
        let mut unit = unit_with(Some(person()));
        unit.intake_logs.expect_find_many().returning(move |_, _| Ok(vec![log.clone()]));
        unit.intake_logs
            .expect_delete()
            .times(usize::from(actor.is_some()))
            .withf(move |user, ids| *user == user_id(1) && ids == [id])
            .returning(|_, _| Ok(1));
        let units = units([unit]);
        let intakes = Intakes { store: store(&units), ..intakes(MockSupplementReader::new()) };
        assert_eq!(intakes.delete(client_id, user_id(1), id).await.unwrap(), actor.is_some());
        assert_eq!(units.endings().committed(), usize::from(actor.is_some()));
        let recorded = actor.map(|actor| {
            let event = AuditEvent { client_id, ..event(actor, AuditKind::IntakeLogDeleted) };
            event.user(user_id(1)).subject(id.as_uuid())
        });
        assert_events(&units.events(), recorded.as_slice());
    }
}
