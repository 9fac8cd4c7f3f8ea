use super::backend::{Backend, night};
use crate::e2e::app::text;
use crate::e2e::world::World;
use serde_json::json;

on_sqlite! {
    async fn a_backend_erases_a_person_once_and_the_id_is_never_reused(world: World) {
        let server = world.serve();
        let backend = Backend::new(&world, &server).await;
        let id = backend.person("sam@example.org").await;
        assert_eq!(backend.post(&format!("sleep/{id}"), &json!([night(1)])).await.outcomes(), ["created"]);
        let receipt = backend.delete(&format!("users/{id}")).await;
        assert_eq!(receipt.status, 200, "{}", receipt.text);
        assert_eq!(text(&receipt.json(), "erasure_id").len(), 36);
        assert!(!receipt.text.contains(&id), "{}", receipt.text);
        assert_eq!(backend.delete(&format!("users/{id}")).await.refusal(404), "unknown_user");
        assert_eq!(backend.post(&format!("sleep/{id}"), &json!([night(1)])).await.refusal(404), "unknown_user");
        let same_id = json!([{"id": id, "email": "kim@example.org", "home_timezone": "UTC"}]);
        assert_eq!(backend.post("users", &same_id).await.outcomes(), ["id_erased id"]);
    }
}
