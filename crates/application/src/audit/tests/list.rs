use super::tally;
use crate::audit::{ListReads, ReaderName};
use crate::ports::storage::{MockClientReader, MockPersonalTokenReader, MockReadTallyStore};
use crate::testing::{app, client_id, client_reader, noon, scopes, secret, user_id, without_secrets};
use domain::id::PersonalTokenId;
use domain::personal_token::{PersonalToken, PersonalTokenName};
use domain::read_tally::{ReadTally, Reader, TallyKey};
use domain::secret::SecretKind;
use std::sync::Arc;
use uuid::Uuid;

/// A store that expects this position and returns these tallies.
fn store(after: Option<TallyKey>, size: u32, found: Vec<ReadTally>) -> Arc<MockReadTallyStore> {
    let mut store = MockReadTallyStore::new();
    store
        .expect_list()
        .times(1)
        .withf(move |user, asked, limit| *user == user_id(1) && *asked == after && *limit == size + 1)
        .return_once(|_, _, _| Ok(found));
    Arc::new(store)
}

/// A reader that finds only the app, and is called at most once.
fn clients() -> Arc<MockClientReader> {
    Arc::new(client_reader(..=1, |id| Ok((id == client_id(1)).then(|| without_secrets(app())))))
}

fn token_id(number: u128) -> PersonalTokenId {
    PersonalTokenId::from_uuid(Uuid::from_u128(number))
}

fn by_token(number: u128) -> ReadTally {
    let tally = tally(1, 1);
    ReadTally { key: TallyKey { reader: Reader::PersonalToken(token_id(number)), ..tally.key }, ..tally }
}

/// Lists the user's tokens once: only number 1.
fn tokens() -> Arc<MockPersonalTokenReader> {
    let mut tokens = MockPersonalTokenReader::new();
    tokens.expect_list_personal_tokens().times(1).withf(|user| *user == user_id(1)).returning(|_| {
        Ok(vec![PersonalToken {
            id: token_id(1),
            user_id: user_id(1),
            name: PersonalTokenName::parse("Sunday notebook").unwrap(),
            token_hash: secret(SecretKind::PersonalAccessToken, 1).hash(),
            scopes: scopes("sleep"),
            created_at: noon(),
            expires_at: None,
            last_used_at: None,
            revoked_at: Some(noon()),
        }])
    });
    Arc::new(tokens)
}

fn no_tokens() -> Arc<MockPersonalTokenReader> {
    Arc::default()
}

#[tokio::test]
async fn a_full_page_has_the_position_of_the_next_one() {
    let found = vec![tally(1, 1), tally(1, 2), tally(1, 3)];
    let list = ListReads::new(store(None, 2, found), clients(), no_tokens());
    let page = list.run(user_id(1), None, 2).await.unwrap();
    assert_eq!(page.reads.iter().map(|read| read.tally).collect::<Vec<_>>(), [tally(1, 1), tally(1, 2)]);
    assert_eq!(page.next, Some(tally(1, 2).key));
}

#[tokio::test]
async fn the_last_page_has_no_next() {
    for found in [vec![], vec![tally(1, 1)], vec![tally(1, 1), tally(1, 2)]] {
        let number = found.len();
        let list = ListReads::new(store(None, 2, found), clients(), no_tokens());
        let page = list.run(user_id(1), None, 2).await.unwrap();
        assert_eq!((page.reads.len(), page.next), (number, None));
    }
}

#[tokio::test]
async fn a_position_never_selects_another_persons_page() {
    let expected = Some(tally(1, 5).key);
    for named in [1, 2] {
        let list = ListReads::new(store(expected, 9, Vec::new()), clients(), no_tokens());
        let page = list.run(user_id(1), Some(tally(named, 5).key), 9).await.unwrap();
        assert_eq!(page.reads, []);
    }
}

#[tokio::test]
async fn each_reader_is_shown_by_its_name_and_looked_up_once() {
    let found = vec![tally(1, 1), by_token(1), by_token(2), tally(1, 2), by_token(1)];
    let list = ListReads::new(store(None, 9, found), clients(), tokens());
    let page = list.run(user_id(1), None, 9).await.unwrap();
    let names: Vec<_> = page.reads.into_iter().map(|read| read.reader_name).collect();
    let app = Some(ReaderName::Client(app().name));
    let notebook = Some(ReaderName::PersonalToken(PersonalTokenName::parse("Sunday notebook").unwrap()));
    assert_eq!(names, [app.clone(), notebook.clone(), None, app, notebook]);
}
