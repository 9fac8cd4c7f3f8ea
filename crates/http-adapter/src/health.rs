//! Health checks for load balancers: `/livez` (the process runs) and `/readyz` (it can serve).

use crate::caller::{self, SeenCaller};
use crate::example;
use crate::problem::{Fault, Problem, error_responses};
use crate::route::Endpoint;
use crate::state::{Check, CheckState, HttpState};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

#[derive(Serialize, ToSchema)]
struct LiveBody {
    #[schema(schema_with = live_statuses)]
    status: &'static str,
}

/// Header with the pass of `restwell doctor` (ADR 75).
pub const DOCTOR_PASS: &str = "restwell-doctor";

/// Response to `restwell doctor`, which is no part of the API.
#[derive(Serialize)]
struct DoctorBody {
    status: &'static str,
    caller: Option<SeenCaller>,
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
pub(crate) async fn live(request: HttpRequest, state: web::Data<HttpState>) -> HttpResponse {
    let pass = request.headers().get(DOCTOR_PASS).and_then(|pass| pass.to_str().ok());
    let status = "ok";
    if pass.is_some_and(|pass| (state.is_doctor_pass)(pass)) {
        let caller = caller::seen(&request, &state.settings.proxies);
        HttpResponse::Ok().json(DoctorBody { status, caller })
    } else {
        HttpResponse::Ok().json(LiveBody { status })
    }
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
    use super::{DOCTOR_PASS, SeenCaller};
    use crate::tests::{Parts, log_of, send};
    use crate::{ClientAddressHeader, HttpSettings, TrustedProxies};
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
    async fn only_a_valid_pass_gets_the_caller_that_the_server_sees() {
        let settings = HttpSettings {
            proxies: TrustedProxies::parse(&["10.0.0.1".to_owned()], ClientAddressHeader::XForwardedFor)
                .unwrap(),
            ..HttpSettings::default()
        };
        let state = Parts { settings, ..Parts::default() }.build();
        let ask = async |pass: Option<&str>, peer: &str, forwarded: Option<&str>| {
            let request = TestRequest::get().uri("/livez").peer_addr(format!("{peer}:4711").parse().unwrap());
            let request = pass.into_iter().fold(request, |r, pass| r.insert_header((DOCTOR_PASS, pass)));
            let request =
                forwarded.into_iter().fold(request, |r, by| r.insert_header(("x-forwarded-for", by)));
            let answer = send(&state, request).await;
            assert_eq!(answer.status.as_u16(), 200);
            answer.text().to_owned()
        };
        for pass in [None, Some(""), Some("wrong")] {
            assert_eq!(ask(pass, "10.0.0.1", Some("203.0.113.7")).await, r#"{"status":"ok"}"#);
        }
        for (peer, forwarded, expected) in [
            ("10.0.0.1", Some("203.0.113.7"), ("203.0.113.7", true, true)),
            ("10.0.0.1", None, ("10.0.0.1", false, true)),
            ("10.0.0.2", Some("203.0.113.7"), ("10.0.0.2", true, false)),
        ] {
            let (address, has_header, is_trusted) = expected;
            let seen = SeenCaller {
                address: address.parse().unwrap(),
                peer: peer.parse().unwrap(),
                has_header,
                is_trusted,
            };
            let body = serde_json::json!({ "status": "ok", "caller": seen });
            let text = ask(Some("valid"), peer, forwarded).await;
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), body);
        }
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
