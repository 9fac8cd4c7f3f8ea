use super::backend::{Backend, LINES, night};
use crate::e2e::world::World;
use serde_json::{Value, json};

fn lines(count: u32) -> String {
    (0..count).flat_map(|number| [night(number).to_string(), "\n".to_owned()]).collect()
}

on_sqlite! {
    async fn ten_thousand_items_are_accepted_and_one_more_is_rejected(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let path = format!("sleep/{}", backend.person("sam@example.org").await);
        let too_many = backend.post_text(&path, LINES, lines(10_001)).await;
        assert_eq!(too_many.refusal(413), "too_many_items");
        let answer = backend.post_text(&path, LINES, lines(10_000)).await;
        assert_eq!((&answer.json()["created"], &answer.json()["rejected"]), (&json!(10_000), &json!(0)));
        assert_eq!(answer.results().len(), 10_000);
        // The same items as a list: all are known, in the same order.
        let list: Vec<Value> = (0..10_000).map(night).collect();
        let again = backend.post(&path, &json!(list)).await;
        assert_eq!(again.json()["unchanged"], 10_000);
        let ids = |results: Vec<Value>| results.into_iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(answer.results()), ids(again.results()));
    }
}
