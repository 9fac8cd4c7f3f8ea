use super::*;
use crate::testing::empty_database;
use domain::id::UserId;
use uuid::Uuid;

#[test]
fn positions_come_from_indexes_alone_whatever_kind_is_asked_for() {
    let (mut connection, _directory) = empty_database();
    let after = ChangePosition { number: 3, kind: ChangeKind::Sleep, id: Uuid::from_u128(7) };
    for after in [None, Some(after)] {
        let user_id = UserId::from_uuid(Uuid::from_u128(1));
        let query = ChangePageQuery { user_id, after, kinds: ChangeKind::ALL.to_vec(), limit: 10 };
        for kind in ChangeKind::ALL {
            for source in [Source::Record, Source::Deletion] {
                let Some(statement) = positions(&query, kind, source) else { continue };
                let plan = statement.plan(&mut connection);
                assert_eq!(plan.len(), 1, "{plan:#?}");
                let is_narrow = plan[0].contains("COVERING INDEX") && plan[0].contains("(change_number,id)>");
                assert!(
                    is_narrow || (kind == ChangeKind::Profile && plan[0].starts_with("SEARCH")),
                    "{plan:#?}"
                );
            }
        }
    }
}

#[test]
fn a_page_goes_on_behind_its_position_in_every_kind() {
    let id = Uuid::from_u128(7);
    let after = Some(ChangePosition { number: 3, kind: ChangeKind::Sleep, id });
    assert_eq!(start(None, ChangeKind::Profile), (0, Vec::new()));
    assert_eq!(start(after, ChangeKind::Profile), (4, Vec::new()));
    assert_eq!(start(after, ChangeKind::Sleep), (3, blob(id)));
    assert_eq!(start(after, ChangeKind::Supplements), (3, Vec::new()));
}
