//! Revocations of grants by their people and by the operator.

use crate::Harness;
use crate::fixture::{client_id, code, consent, grant, grant_id, user, user_id};
use crate::rejection::{assert_level, audited, prepare};
use application::grant::Grants;
use application::ports::storage::GrantFilter;
use domain::grant::Grant;

fn grants(harness: &Harness) -> Grants {
    Grants { store: audited(harness), reader: harness.grants.clone(), apps: harness.apps.clone() }
}

pub(crate) async fn a_revocation_that_matches_nothing_opens_no_connection(harness: &Harness) {
    prepare(harness).await;
    let grants = grants(harness);
    let all = GrantFilter::default();
    for (name, filter) in [
        ("revoke everything", all),
        ("revoke of a person without grants", GrantFilter { user_id: Some(user_id(1)), ..all }),
        ("revoke of an app without grants", GrantFilter { client_id: Some(client_id(1)), ..all }),
        ("revoke an unknown grant", GrantFilter { id: Some(grant_id(9)), ..all }),
    ] {
        assert_level(harness, name, async || match grants.revoke(filter).await {
            Ok(0) => Err(None),
            Ok(revoked) => Ok(revoked),
            Err(error) => Err(Some(error)),
        })
        .await;
    }
}

pub(crate) async fn a_disconnected_app_has_no_access_and_no_code(harness: &Harness) {
    let person = prepare(harness).await;
    let (grants, app) = (grants(harness), client_id(1));
    harness.store_user(&user(3)).await;
    let of_another = Grant { user_id: user_id(3), ..grant(2) };
    harness.store_grants(&[grant(1), of_another]).await;
    let mut unit = harness.begin().await;
    unit.consents().remember(&consent(1, 1)).await.unwrap();
    unit.codes().insert(&code(1)).await.unwrap();
    unit.commit().await.unwrap();

    assert_eq!(grants.disconnect(&person, Some(app)).await.unwrap(), 1);
    assert_eq!(grants.list_apps(person.user_id).await.unwrap(), []);
    assert_eq!(harness.begin().await.codes().find(&code(1).hash).await.unwrap(), None);
    assert_eq!(grants.list_apps(user_id(3)).await.unwrap().len(), 1);
    assert_eq!(grants.disconnect(&person, Some(app)).await.unwrap(), 0);
}
