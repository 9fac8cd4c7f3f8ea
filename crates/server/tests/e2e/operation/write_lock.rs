//! Pages, while another process holds the write lock of the store.

use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::world::World;
use application::ports::storage::UnitOfWorkFactory as _;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::time::{Duration, Instant};

/// Much less than the 5 seconds for which a writer waits.
const PROMPTLY: Duration = Duration::from_secs(2);

on_sqlite! {
    async fn pages_that_only_read_answer_while_another_process_holds_the_write_lock(world: World) {
        let world = world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080");
        let person = Person::create(&world, "robin@example.org");
        let server = world.serve();
        let browser = Browser::new(&server);
        browser.sign_in(&person).await;
        let path = world.dir.path().join("restwell.db");
        let store = SqliteStore::open(&path, SqliteOptions::default()).await.expect("store");
        let writing = store.begin().await.expect("write lock");
        for page in ["/imports", "/account", "/tokens", "/activity", "/apps"] {
            let asked = Instant::now();
            browser.open(page).await;
            assert!(asked.elapsed() < PROMPTLY, "{page} took {:?}", asked.elapsed());
        }
        writing.rollback().await.expect("rollback");
    }
}
