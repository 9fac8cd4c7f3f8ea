use super::*;
use application::ports::storage::{PackedSleepRow, RecordsState, SleepLandmark};
use domain::id::SleepSessionId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateRange;
use uuid::Uuid;

/// A store whose every person has endlessly many sessions, and which notes what was proposed to it.
#[derive(Default)]
struct Endless {
    proposed: Mutex<Vec<Option<SleepLandmark>>>,
    change_number: Mutex<i64>,
}

impl Endless {
    fn take(&self) -> Vec<Option<i64>> {
        let proposed = std::mem::take(&mut *self.proposed.lock().unwrap());
        proposed.iter().map(|known| known.map(|known| known.skipped)).collect()
    }
}

fn id(skipped: i64) -> SleepSessionId {
    SleepSessionId::from_uuid(Uuid::from_u128(u128::from(skipped.unsigned_abs())))
}

#[async_trait]
impl SleepReader for Endless {
    async fn page(&self, query: SleepPageQuery) -> Result<SleepPage, StorageError> {
        self.proposed.lock().unwrap().push(query.known);
        let offset = query.page.offset();
        let row = PackedSleepRow {
            id: id(offset),
            started_at_millis: offset,
            ended_at_millis: offset + 1,
            offset_at_start: None,
            offset_at_end: None,
            source: None,
            is_nap: None,
            updated_at_millis: 0,
            stages: Box::default(),
            metrics: Box::default(),
        };
        let next = offset + i64::from(query.page.size.get());
        Ok(SleepPage {
            rows: vec![row],
            has_more: true,
            next: Some((next, id(next))),
            state: (offset > 0)
                .then(|| RecordsState { change_number: *self.change_number.lock().unwrap(), transaction: 0 }),
        })
    }

    async fn walk(
        &self,
        _: UserId,
        _: Option<SleepPosition>,
        _: u32,
    ) -> Result<Vec<SleepSession>, StorageError> {
        Err(StorageError::Unavailable)
    }
}

fn query(person: u128, number: u64, size: u16) -> SleepPageQuery {
    SleepPageQuery {
        user_id: UserId::from_uuid(Uuid::from_u128(person)),
        range: DateRange::default(),
        page: PageRequest {
            number: PageNumber::parse(&number.to_string()).unwrap(),
            size: PageSize::new(size).unwrap(),
            sort: SortDirection::Descending,
        },
        with_stages: false,
        with_metrics: false,
        known: None,
    }
}

fn readers() -> (Arc<Endless>, LandmarkSleepReader) {
    let store = Arc::new(Endless::default());
    let reader = LandmarkSleepReader::new(store.clone());
    (store, reader)
}

#[tokio::test]
async fn a_page_far_back_is_found_from_where_it_began_before() {
    let (store, reader) = readers();
    for _ in 0..3 {
        reader.page(query(1, 100, 30)).await.unwrap();
    }
    assert_eq!(store.take(), [None, Some(2_970), Some(2_970)]);
}

#[tokio::test]
async fn who_reads_on_is_never_made_to_skip() {
    let (store, reader) = readers();
    for number in 1..=40 {
        reader.page(query(1, number, 100)).await.unwrap();
    }
    let offsets = (3..40).map(|page| Some(page * 100));
    // The first pages are near; the one after them is the first that is remembered.
    let expected: Vec<_> = [None; 4].into_iter().chain(offsets.skip(1)).collect();
    assert_eq!(store.take(), expected);
}

#[tokio::test]
async fn what_is_known_of_one_person_is_not_used_for_another() {
    let (store, reader) = readers();
    reader.page(query(1, 100, 30)).await.unwrap();
    reader.page(query(2, 100, 30)).await.unwrap();
    assert_eq!(store.take(), [None, None]);
}

#[tokio::test]
async fn a_change_of_the_person_ends_what_was_known() {
    let (store, reader) = readers();
    reader.page(query(1, 100, 30)).await.unwrap();
    *store.change_number.lock().unwrap() = 1;
    // Proposed once more, refused by the store, and learnt anew.
    reader.page(query(1, 100, 30)).await.unwrap();
    reader.page(query(1, 100, 30)).await.unwrap();
    let proposed: Vec<_> = store
        .proposed
        .lock()
        .unwrap()
        .iter()
        .map(|known| known.map(|known| known.state.change_number))
        .collect();
    assert_eq!(proposed, [None, Some(0), Some(1)]);
}

#[tokio::test]
async fn a_person_has_one_place_however_many_pages_are_asked_for() {
    let (store, reader) = readers();
    reader.page(query(1, 100, 30)).await.unwrap();
    for number in 100..10_000 {
        reader.page(query(2, number, 7)).await.unwrap();
    }
    reader.people.run_pending_tasks();
    assert_eq!(reader.people.entry_count(), 2);
    store.take();
    reader.page(query(1, 100, 30)).await.unwrap();
    assert_eq!(store.take(), [Some(2_970)]);
}

#[tokio::test]
async fn no_more_people_are_remembered_than_there_is_room_for() {
    let (_, reader) = readers();
    for person in 0..u128::from(PEOPLE) * 2 {
        reader.page(query(person, 100, 30)).await.unwrap();
    }
    reader.people.run_pending_tasks();
    assert!(reader.people.entry_count() <= PEOPLE);
}
