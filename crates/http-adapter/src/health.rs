//! Health checks for load balancers: `/livez` (the process runs) and `/readyz` (it can serve).

use crate::example;
use crate::problem::{Fault, Problem, error_responses};
use crate::route::Endpoint;
use crate::state::{Check, CheckState, HttpState};
use actix_web::{HttpResponse, web};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

#[derive(Serialize, ToSchema)]
struct LiveBody {
    #[schema(schema_with = live_statuses)]
    status: &'static str,
}

#[derive(Serialize, ToSchema)]
struct ReadyBody {
    /// `read_only` while the store refuses writes and serves reads.
    #[schema(schema_with = ready_statuses)]
    status: &'static str,
    /// State of each dependency, by name. The settings determine which there are. `writes` may also hold the
    /// reason why the store refuses them.
    #[schema(schema_with = check_states)]
    #[serde(serialize_with = "as_object")]
    checks: Vec<Check>,
}

fn one_of(names: &[&'static str]) -> ObjectBuilder {
    let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
    text.enum_values(Some(names.iter().copied()))
}

fn live_statuses() -> Object {
    one_of(&["ok"]).build()
}

fn ready_statuses() -> Object {
    one_of(&["ok", "read_only"]).build()
}

fn check_states() -> Object {
    let states = one_of(&["ok", "disk_full", "disk_read_only", "disk_error"]);
    ObjectBuilder::new().additional_properties(Some(states)).build()
}

error_responses! {
    /// Errors of the health check, which is answered under any load.
    LivenessErrors = Problem "Liveness": [];
    /// Errors of the readiness check.
    ReadinessErrors = Problem "Readiness": [NotReady];
}

fn as_object<S: Serializer>(checks: &[Check], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(checks.iter().map(|check| (check.name, check.state.word())))
}

/// Whether the process is running
#[utoipa::path(
    get, path = Endpoint::Live.path(), tag = "server", operation_id = "isLive",
    responses(
        (
            status = 200,
            description = "The process is running",
            body = LiveBody,
            example = json!({"status": "ok"})
        ),
        LivenessErrors,
    ),
)]
pub(crate) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(LiveBody { status: "ok" })
}

/// Whether the process can serve
#[utoipa::path(
    get, path = Endpoint::Ready.path(), tag = "server", operation_id = "isReady",
    responses(
        (status = 200, description = "The process can serve", body = ReadyBody, example = example::readiness),
        ReadinessErrors,
    ),
)]
pub(crate) async fn ready(state: web::Data<HttpState>) -> Result<HttpResponse, Problem> {
    let checks = state.health.checks();
    // Names only: the endpoint is public.
    let failed = checks.iter().filter(|check| check.state == CheckState::Failed);
    let failed: Vec<&str> = failed.map(|check| check.name).collect();
    if failed.is_empty() {
        let is_ok = checks.iter().all(|check| check.state == CheckState::Ok);
        let status = if is_ok { "ok" } else { "read_only" };
        return Ok(HttpResponse::Ok().json(ReadyBody { status, checks }));
    }
    Err(Problem::new(Fault::NotReady).detail(format!("Failed: {}.", failed.join(", "))))
}

#[cfg(test)]
mod tests {
    use crate::tests::{Parts, log_of, send};
    use actix_web::test::TestRequest;

    #[actix_web::test]
    async fn repeated_health_checks_do_not_fill_the_log() {
        let starting = Parts { is_ready: false, ..Parts::default() }.build();
        let log = log_of(async {
            let answer = send(&starting, TestRequest::get().uri("/readyz")).await;
            assert_eq!(answer.status.as_u16(), 503);
        })
        .await;
        let lines: Vec<_> = log.lines().filter(|line| line.contains("not_ready")).collect();
        assert!(matches!(lines[..], [line] if line.contains("DEBUG")), "{log}");
    }

    #[actix_web::test]
    async fn readiness_lists_its_checks_and_the_failed_ones() {
        let ready = Parts::default().build();
        let answer = send(&ready, TestRequest::get().uri("/readyz")).await;
        assert_eq!(answer.text(), r#"{"status":"ok","checks":{"database":"ok","clock":"ok"}}"#);
        let starting = Parts { is_ready: false, ..Parts::default() }.build();
        let answer = send(&starting, TestRequest::get().uri("/readyz")).await;
        assert!(answer.text().contains(r#""detail":"Failed: clock.""#), "{}", answer.text());
    }

    #[actix_web::test]
    async fn a_read_only_store_leaves_the_server_ready_and_is_reported_with_its_reason() {
        let full = Parts { refuses_writes: Some("disk_full"), ..Parts::default() };
        let answer = send(&full.build(), TestRequest::get().uri("/readyz")).await;
        assert_eq!(answer.status.as_u16(), 200);
        let expected =
            r#"{"status":"read_only","checks":{"database":"ok","clock":"ok","writes":"disk_full"}}"#;
        assert_eq!(answer.text(), expected);
        let failing = Parts { is_ready: false, refuses_writes: Some("disk_full"), ..Parts::default() };
        let answer = send(&failing.build(), TestRequest::get().uri("/readyz")).await;
        assert_eq!(answer.status.as_u16(), 503);
        assert!(answer.text().contains(r#""detail":"Failed: clock.""#), "{}", answer.text());
    }

    #[actix_web::test]
    async fn head_returns_only_the_status() {
        let starting = Parts { is_ready: false, ..Parts::default() }.build();
        for (path, status) in [("/livez", 200), ("/readyz", 503)] {
            let request = TestRequest::default().method("HEAD".parse().unwrap()).uri(path);
            assert_eq!(send(&starting, request).await.status.as_u16(), status);
        }
    }
}
