//! Data endpoints with a failing store (decisions 6).

use super::sample;
use super::world::{
    ENDPOINTS, USER, World, assert_problem, assert_uncounted, parts, paths, rate_headers, sleep_of,
};
use crate::tests::{Parts, port};
use application::StorageError;
use application::read::SupplementPage;

fn failing(error: fn() -> StorageError) -> World {
    World::new(Parts {
        profiles: port::profiles(move |_| Err(error())),
        sleep: port::sleep(move |_| Err(error())),
        supplements: port::supplements(move |_| Err(error())),
        ..parts()
    })
}

#[actix_web::test]
async fn a_store_that_cannot_be_read_is_unavailable_with_a_time_to_wait() {
    for error in [|| StorageError::Unavailable, || StorageError::Retryable] {
        let world = failing(error);
        for endpoint in ENDPOINTS {
            for (path, used) in paths(endpoint, USER).iter().zip(1..) {
                let answer = world.get(path).await;
                assert_problem(&answer, 503, "storage_unavailable");
                assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
                let [limit, remaining, _] = rate_headers(&answer);
                assert_eq!(limit - remaining, used);
            }
        }
    }
}

#[actix_web::test]
async fn a_corrupt_row_is_an_error_status_and_never_a_broken_body() {
    let whole = sample::packed(&sample::night(1));
    let stages = "include_stages=true";
    let metrics = "include_metrics=1";
    for (damage, query) in
        [(&b"\x13\x02"[..], stages), (b"\x99", stages), (b"", metrics), (b"\x10\x08", metrics)]
    {
        let mut row = whole.clone();
        if query == stages {
            row.stages = damage.into();
        } else {
            row.metrics = damage.into();
        }
        let world = World::new(Parts { sleep: sleep_of(vec![whole.clone(), row]), ..parts() });
        let path = &paths("sleep", USER)[0];
        let answer = world.get(&format!("{path}?{query}")).await;
        assert_problem(&answer, 500, "internal_error");
        rate_headers(&answer);
        // Parts that are not requested are not read.
        assert_eq!(world.get(path).await.status, 200);
    }
}

#[actix_web::test]
async fn servings_that_are_no_number_are_an_error_status() {
    for servings in [f64::NAN, f64::INFINITY, 0.0] {
        let mut record = sample::record(1, 3);
        record.logs[2].servings = servings;
        let page = SupplementPage { records: vec![record], has_more: false };
        let supplements = port::supplements(move |_| Ok(page.clone()));
        let world = World::new(Parts { supplements, ..parts() });
        assert_problem(&world.get(&paths("supplements", USER)[0]).await, 500, "internal_error");
    }
}

#[actix_web::test]
async fn a_just_deleted_persons_token_is_invalid() {
    let world = World::new(Parts { profiles: port::profiles(|_| Ok(None)), ..parts() });
    let answer = world.get(&paths("profile", USER)[0]).await;
    assert_problem(&answer, 401, "invalid_token");
    assert_uncounted(&answer);
}
