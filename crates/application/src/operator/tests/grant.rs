use super::{one, unavailable};
use crate::operator::{ListGrants, RevokeGrants, RevokeGrantsError};
use crate::ports::storage::GrantFilter;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{client_id, clock, grant, grant_id, noon, user_id};
use domain::grant::RevocationReason;

fn of_person() -> GrantFilter {
    GrantFilter { user_id: Some(user_id(1)), ..GrantFilter::default() }
}

#[tokio::test]
async fn an_empty_filter_revokes_nothing_and_asks_nobody() {
    let revoke = RevokeGrants::new(unavailable(), clock());
    let outcome = revoke.run(GrantFilter::default(), RevocationReason::Operator).await;
    assert!(matches!(outcome, Err(RevokeGrantsError::NothingNamed)));
}

#[tokio::test]
async fn each_thing_that_can_be_named_is_enough() {
    let of_client = GrantFilter { client_id: Some(client_id(1)), ..GrantFilter::default() };
    let just_one = GrantFilter { id: Some(grant_id(1)), ..GrantFilter::default() };
    for filter in [of_person(), of_client, just_one] {
        let mut unit = MockUnitOfWork::default();
        unit.grants
            .expect_revoke()
            .times(1)
            .withf(move |asked, at, reason| {
                *asked == filter && *at == noon() && *reason == RevocationReason::Operator
            })
            .returning(|_, _, _| Ok(3));
        let (units, endings) = one(unit);
        let revoked = RevokeGrants::new(units, clock()).run(filter, RevocationReason::Operator).await;
        assert_eq!(revoked.unwrap(), 3);
        assert_eq!(endings.committed(), 1);
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_told() {
    let outcome = RevokeGrants::new(unavailable(), clock()).run(of_person(), RevocationReason::Person).await;
    assert!(matches!(outcome, Err(RevokeGrantsError::Storage(_))));
}

#[tokio::test]
async fn grants_are_listed_after_an_id_and_nothing_is_committed() {
    let mut unit = MockUnitOfWork::default();
    unit.grants
        .expect_list()
        .times(1)
        .withf(|filter, after, limit| *filter == of_person() && *after == Some(grant_id(0)) && *limit == 10)
        .returning(|_, _, _| Ok(vec![grant()]));
    let (units, endings) = one(unit);
    assert_eq!(ListGrants::new(units).run(of_person(), Some(grant_id(0)), 10).await.unwrap(), [grant()]);
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}
