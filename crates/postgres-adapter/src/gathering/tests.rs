use super::*;
use futures_util::FutureExt;
use futures_util::future::join_all;
use std::task::Poll;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A statement that was sent: what it asks for, and how to answer it.
struct Sent {
    keys: Vec<u32>,
    answer: oneshot::Sender<Result<Found<u32, String>, StorageError>>,
}

impl Sent {
    /// Finds a row for each key, with this text.
    fn with(self, text: &str) {
        let found = self.keys.iter().map(|key| (*key, Ok(format!("{text} {key}")))).collect();
        self.answer.send(Ok(found)).unwrap();
    }
}

type Texts = Arc<Gathering<u32, String>>;

/// Makes a gathering whose statements the test answers, however long that takes.
fn gathering() -> (Texts, UnboundedReceiver<Sent>) {
    gathering_with(Duration::from_hours(1))
}

fn gathering_with(patience: Duration) -> (Texts, UnboundedReceiver<Sent>) {
    let (sender, sent) = unbounded_channel();
    let statement = move |keys| {
        let (answer, answered) = oneshot::channel();
        sender.send(Sent { keys, answer }).unwrap();
        async move { answered.await.unwrap() }.boxed()
    };
    let statement: Arc<Statement<u32, String>> = Arc::new(statement);
    (Arc::new(Gathering::with_patience(1, patience, &statement)), sent)
}

/// Begins to read and comes back when the read waits.
async fn begin(texts: &Texts, key: u32) -> tokio::task::JoinHandle<Answer<String>> {
    let texts = Arc::clone(texts);
    let (came, comes) = oneshot::channel();
    let reading = tokio::spawn(async move {
        let mut answer = pin!(texts.find(key));
        let early = std::future::poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await;
        came.send(()).unwrap();
        match early {
            Poll::Ready(answer) => answer,
            Poll::Pending => answer.await,
        }
    });
    comes.await.unwrap();
    reading
}

fn text(answer: Answer<String>) -> String {
    answer.unwrap().unwrap()
}

#[tokio::test]
async fn the_first_is_sent_alone_and_those_who_come_meanwhile_together() {
    let (texts, mut sent) = gathering();
    let first = begin(&texts, 1).await;
    let alone = sent.recv().await.unwrap();
    assert_eq!(alone.keys, [1]);
    let late = [begin(&texts, 3).await, begin(&texts, 2).await, begin(&texts, 3).await];
    alone.with("row");
    assert_eq!(text(first.await.unwrap()), "row 1");
    let together = sent.recv().await.unwrap();
    assert_eq!(together.keys, [3, 2], "equal keys are asked for once");
    together.with("row");
    let told: Vec<_> = join_all(late).await.into_iter().map(|late| text(late.unwrap())).collect();
    assert_eq!(told, ["row 3", "row 2", "row 3"]);
}

#[tokio::test]
async fn a_statement_that_is_under_way_does_not_answer_who_comes_later() {
    let (texts, mut sent) = gathering();
    let early = begin(&texts, 1).await;
    let before = sent.recv().await.unwrap();
    let late = begin(&texts, 1).await;
    before.with("old");
    sent.recv().await.unwrap().with("new");
    assert_eq!((text(early.await.unwrap()), text(late.await.unwrap())), ("old 1".into(), "new 1".into()));
}

#[tokio::test]
async fn a_reader_who_goes_away_holds_nobody_up_and_is_not_asked_for() {
    let (texts, mut sent) = gathering();
    let first = begin(&texts, 1).await;
    let alone = sent.recv().await.unwrap();
    let (gone, stays) = (begin(&texts, 2).await, begin(&texts, 3).await);
    for leaving in [first, gone] {
        leaving.abort();
        assert!(leaving.await.unwrap_err().is_cancelled());
    }
    alone.with("row");
    let rest = sent.recv().await.unwrap();
    assert_eq!(rest.keys, [3]);
    rest.with("row");
    assert_eq!(text(stays.await.unwrap()), "row 3");
}

#[tokio::test]
async fn a_failure_is_told_to_all_who_were_sent_together_and_to_nobody_else() {
    let (texts, mut sent) = gathering();
    let first = begin(&texts, 1).await;
    let alone = sent.recv().await.unwrap();
    let together = [begin(&texts, 2).await, begin(&texts, 3).await];
    alone.with("row");
    assert_eq!(text(first.await.unwrap()), "row 1");
    let failing = sent.recv().await.unwrap();
    let later = begin(&texts, 4).await;
    failing.answer.send(Err(StorageError::Unavailable)).unwrap();
    for reading in together {
        assert!(matches!(reading.await.unwrap(), Err(StorageError::Unavailable)));
    }
    sent.recv().await.unwrap().with("row");
    assert_eq!(text(later.await.unwrap()), "row 4");
}

#[tokio::test]
async fn what_is_not_found_is_nothing_and_a_corrupt_row_is_its_readers_alone() {
    let (texts, mut sent) = gathering();
    let first = begin(&texts, 1).await;
    let alone = sent.recv().await.unwrap();
    let [sound, corrupt, absent] = [begin(&texts, 2).await, begin(&texts, 3).await, begin(&texts, 4).await];
    alone.answer.send(Ok(Vec::new())).unwrap();
    assert_eq!(first.await.unwrap().unwrap(), None);
    let error = StorageError::Corrupt { table: "account", column: "email", row: "3".to_owned() };
    let found = vec![(2, Ok("row".to_owned())), (3, Err(error))];
    sent.recv().await.unwrap().answer.send(Ok(found)).unwrap();
    assert_eq!(text(sound.await.unwrap()), "row");
    assert!(matches!(corrupt.await.unwrap(), Err(StorageError::Corrupt { column: "email", .. })));
    assert_eq!(absent.await.unwrap().unwrap(), None);
}

#[tokio::test]
async fn a_statement_that_takes_long_does_not_keep_others_waiting() {
    let (texts, mut sent) = gathering_with(PATIENCE);
    let first = begin(&texts, 1).await;
    let slow = sent.recv().await.unwrap();
    let second = begin(&texts, 2).await;
    // Nobody has answered the first.
    sent.recv().await.unwrap().with("row");
    assert_eq!(text(second.await.unwrap()), "row 2");
    slow.with("late");
    assert_eq!(text(first.await.unwrap()), "late 1");
}

#[tokio::test]
async fn very_many_are_sent_in_several_statements() {
    let (texts, mut sent) = gathering();
    let first = begin(&texts, 0).await;
    let alone = sent.recv().await.unwrap();
    let count = u32::try_from(MOST).unwrap() + 1;
    let mut readings = Vec::new();
    for key in 0..count {
        readings.push(begin(&texts, key).await);
    }
    alone.with("row");
    first.await.unwrap().unwrap();
    for expected in [MOST, 1] {
        let statement = sent.recv().await.unwrap();
        assert_eq!(statement.keys.len(), expected);
        statement.with("row");
    }
    for (key, reading) in join_all(readings).await.into_iter().enumerate() {
        assert_eq!(text(reading.unwrap()), format!("row {key}"));
    }
}

#[tokio::test]
async fn a_statement_that_panics_fails_its_readers_and_the_next_is_sent() {
    let texts: Gathering<u32, String> = Gathering::new(1, |keys| {
        async move {
            assert_ne!(keys, [13], "made up");
            Ok(vec![(7, Ok("seven".to_owned()))])
        }
        .boxed()
    });
    assert!(matches!(texts.find(13).await, Err(StorageError::Unavailable)));
    assert_eq!(text(texts.find(7).await), "seven");
}

#[test]
fn a_runtime_that_ends_during_a_statement_sets_its_lane_free() {
    let (texts, mut sent) = gathering();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let statement = first.block_on(async {
        begin(&texts, 1).await;
        sent.recv().await.unwrap()
    });
    drop(first);
    assert!(statement.answer.is_closed());
    runtime().block_on(async {
        let second = begin(&texts, 2).await;
        sent.recv().await.unwrap().with("row");
        assert_eq!(text(second.await.unwrap()), "row 2");
    });
}
