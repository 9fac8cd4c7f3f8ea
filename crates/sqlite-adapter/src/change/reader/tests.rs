use super::*;
use crate::testing::{empty_database, plan};
use diesel::connection::SimpleConnection as _;
use domain::id::UserId;
use uuid::Uuid;

#[test]
fn positions_come_from_indexes_alone_whatever_kind_is_asked_for() {
    let (mut connection, _directory) = empty_database();
    let after = ChangePosition { number: 3, kind: DataKind::Sleep, id: Uuid::from_u128(7) };
    for after in [None, Some(after)] {
        let user_id = UserId::from_uuid(Uuid::from_u128(1));
        let query = ChangePageQuery { user_id, after, kinds: DataKind::ALL.to_vec(), limit: 10 };
        for kind in DataKind::ALL {
            for source in [Source::Record, Source::Deletion] {
                let Some(statement) = positions(&query, kind, source) else { continue };
                let plan = plan(&statement, &mut connection);
                assert_eq!(plan.len(), 1, "{plan:#?}");
                let is_narrow = plan[0].contains("COVERING INDEX") && plan[0].contains("(change_number,id)>");
                assert!(
                    is_narrow || (kind == DataKind::Profile && plan[0].starts_with("SEARCH")),
                    "{plan:#?}"
                );
            }
        }
    }
}

#[test]
fn a_page_continues_after_its_position_in_every_kind() {
    let id = Uuid::from_u128(7);
    let after = Some(ChangePosition { number: 3, kind: DataKind::Sleep, id });
    assert_eq!(start(None, DataKind::Profile), (0, Vec::new()));
    assert_eq!(start(after, DataKind::Profile), (4, Vec::new()));
    assert_eq!(start(after, DataKind::Sleep), (3, blob(id)));
    assert_eq!(start(after, DataKind::Supplements), (3, Vec::new()));
}

#[test]
fn records_without_a_change_number_are_returned_first_in_id_order() {
    let (mut connection, _directory) = empty_database();
    let account = "INSERT INTO account (id, email, email_normalised, home_timezone, created_at) \
                   VALUES (zeroblob(16), 'a@b', 'a@b', 'UTC', 0)";
    connection.batch_execute(account).unwrap();
    for (id, started_at) in [(3, 0), (1, 5000), (2, 9000)] {
        let row = format!(
            "INSERT INTO sleep_session (user_id, started_at, id, ended_at, source, key_kind, natural_key, updated_at, \
             stages, metrics) VALUES (zeroblob(16), {started_at}, unhex('{id:032x}'), {started_at} + 1000, '', \
             'given', '{id}', 0, x'', x'100802')"
        );
        connection.batch_execute(&row).unwrap();
    }
    let first = UserId::from_uuid(Uuid::nil());
    let mut after = None;
    for expected in [(DataKind::Profile, 0), (DataKind::Sleep, 1), (DataKind::Sleep, 2), (DataKind::Sleep, 3)]
    {
        let query = ChangePageQuery { user_id: first, after, kinds: DataKind::ALL.to_vec(), limit: 1 };
        let reported = page(&mut connection, &query).unwrap();
        let position = reported.changes[0].0;
        assert_eq!((position.kind, position.id.as_u128(), position.number), (expected.0, expected.1, 0));
        assert_eq!(reported.has_more, expected.1 < 3);
        after = Some(position);
    }
}
