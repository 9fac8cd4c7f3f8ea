//! Health for load balancers: `/livez` says that the process runs, `/readyz` that it can serve.

use crate::HttpState;
use crate::problem::{Fault, Problem};
use actix_web::{HttpResponse, web};
use async_trait::async_trait;
use serde::Serialize;

/// Tells whether the process can serve requests at this moment.
#[async_trait]
pub trait HealthCheck: Send + Sync {
    /// Returns whether the store answers, keys are loaded and the process is not about to stop.
    ///
    /// Must answer soon, whatever the store does; the load balancer waits for it.
    async fn is_ready(&self) -> bool;
}

#[derive(Serialize)]
struct HealthBody {
    status: &'static str,
}

pub(crate) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(HealthBody { status: "ok" })
}

pub(crate) async fn ready(state: web::Data<HttpState>) -> Result<HttpResponse, Problem> {
    if state.health.is_ready().await { Ok(live().await) } else { Err(Problem::new(Fault::NotReady)) }
}

#[cfg(test)]
mod tests {
    use crate::tests::{Parts, log_of, send};
    use actix_web::test::TestRequest;

    #[actix_web::test]
    async fn a_load_balancer_that_asks_again_and_again_does_not_fill_the_log() {
        let starting = Parts { is_ready: false, ..Parts::default() }.build();
        let log = log_of(async {
            let answer = send(&starting, TestRequest::get().uri("/readyz")).await;
            assert_eq!(answer.status.as_u16(), 503);
        })
        .await;
        let told: Vec<_> = log.lines().filter(|line| line.contains("not_ready")).collect();
        assert!(matches!(told[..], [line] if line.contains("DEBUG")), "{log}");
    }
}
