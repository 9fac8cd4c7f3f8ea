//! Codes that change between their lookup and their redemption.

use super::*;

/// A unit of work in which a concurrent redemption wins; the code is then in this state.
fn losing_the_race(then: Option<AuthorizationCode>) -> MockUnitOfWork {
    then_found(redeemed_with(finding(Some(code())), |_, _| Ok(None)), then)
}

#[tokio::test]
async fn the_loser_of_a_race_revokes_the_winners_grant() {
    let mut unit = losing_the_race(Some(redeemed()));
    expect_revoked_for_replay(&mut unit, 1);
    assert_rejected_for_good(redeem(unit).await);
}

#[tokio::test]
async fn a_code_that_expires_between_lookup_and_use_is_rejected_and_nothing_revoked() {
    let over = AuthorizationCode { expires_at: noon(), ..code() };
    assert_rejected(redeem(losing_the_race(Some(over))).await);
}

#[tokio::test]
async fn a_code_deleted_between_lookup_and_use_is_rejected() {
    assert_rejected(redeem(losing_the_race(None)).await);
}

#[tokio::test]
async fn the_loser_of_a_race_revokes_the_grant_of_a_since_locked_person_too() {
    let mut unit = of_locked_person(Some(redeemed()));
    expect_revoked_for_replay(&mut unit, 1);
    assert_rejected_for_good(redeem(unit).await);
}
