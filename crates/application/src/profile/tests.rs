use super::*;
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::MockProfileReader;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{noon, one, person, store, user_id};
use chrono::Days;
use domain::user::{BirthDate, BodyHeight};

fn profiles(units: &Arc<PreparedUnitsOfWork>) -> Profiles {
    Profiles { store: store(units), reader: Arc::new(MockProfileReader::new()) }
}

fn height(centimetres: f64) -> ProfileValue {
    ProfileValue::Height(Some(BodyHeight::from_centimetres(centimetres).unwrap()))
}

fn holding(user: Option<User>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(move |_| Ok(user.clone()));
    unit
}

#[tokio::test]
async fn a_changed_field_is_stored_with_its_source_and_audited() {
    let mut unit = holding(Some(person()));
    unit.users
        .expect_update()
        .times(1)
        .withf(|user| height(172.5) == ProfileField::Height.read(user))
        .returning(|_| Ok(true));
    let source = ProfileSource { field: ProfileField::Height, origin: ProfileOrigin::Person, at: noon() };
    unit.users
        .expect_record_sources()
        .times(1)
        .withf(move |_, all| *all == [source])
        .returning(|_, _| Ok(()));
    let (units, endings) = one(unit);
    let events = units.events();
    let changed = profiles(&units).change(user_id(1), &[height(172.5)]).await.unwrap();
    assert_eq!((changed, endings.committed()), (1, 1));
    assert_events(&events, &[event(AuditActor::Person, AuditKind::UserChanged).user(user_id(1))]);
}

#[tokio::test]
async fn an_unchanged_profile_is_not_written() {
    let (units, _) = one(holding(Some(person())));
    let values = [ProfileField::Height.read(&person())];
    let changed = profiles(&units).change(user_id(1), &values).await.unwrap();
    assert_eq!((changed, units.events().all()), (0, Vec::new()));
}

#[tokio::test]
async fn the_time_of_creation_cannot_be_changed() {
    let (units, endings) = one(MockUnitOfWork::default());
    let outcome = profiles(&units).change(user_id(1), &[ProfileValue::CreatedAt(noon())]).await;
    assert!(matches!(outcome, Err(ProfileError::Fixed)));
    assert_eq!(endings.opened(), 0);
}

#[tokio::test]
async fn an_erased_person_is_not_found() {
    let (units, endings) = one(holding(None));
    let outcome = profiles(&units).change(user_id(1), &[height(172.0)]).await;
    assert!(matches!(outcome, Err(ProfileError::NotFound)));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}

#[tokio::test]
async fn a_birth_date_in_the_future_is_rejected() {
    let (units, endings) = one(MockUnitOfWork::default());
    let birth = BirthDate::new(noon().date_naive() + Days::new(2)).ok();
    let values = [height(172.0), ProfileValue::BirthDate(birth)];
    let outcome = profiles(&units).change(user_id(1), &values).await;
    assert_eq!(outcome.unwrap_err().to_string(), "birth date is in the future");
    assert_eq!(endings.opened(), 0);
}
