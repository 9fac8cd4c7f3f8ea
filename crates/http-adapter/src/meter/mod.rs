//! Metrics of requests.
//!
//! Labels have fixed values: the pattern of an endpoint, a method and a status from a list, codes and
//! outcomes of the program. No text of a caller becomes a label, so the number of series is bounded. The
//! handles of an endpoint are created by its first request; after that a request costs an array index and a
//! few additions.

mod body;
mod outcome;
mod request;

pub(crate) use outcome::{ingest_items, problem, token_issued, token_refused};
pub(crate) use request::{InFlightRequest, method_name};

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use request::RequestMeter;
use std::sync::{Arc, LazyLock};

/// The meter of this process. It writes to the recorder that is installed when the first request arrives, if
/// any.
static REQUESTS: LazyLock<RequestMeter> = LazyLock::new(RequestMeter::new);

/// Counts a request as in flight.
pub(crate) fn arrived(method: &'static str) -> InFlightRequest {
    REQUESTS.arrived(method)
}

/// Renders the metrics in the text format of Prometheus.
pub type MetricsText = Arc<dyn Fn() -> String + Send + Sync>;

/// Returns the configuration of the metrics listener: `App::new().configure(configure_metrics(text))`.
#[expect(clippy::disallowed_methods, reason = "a separate listener without endpoints of the API")]
pub fn configure_metrics(text: MetricsText) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(Data::new(text))
            .service(web::resource("/metrics").route(web::get().to(show)))
            .default_service(web::to(HttpResponse::NotFound));
    }
}

async fn show(text: Data<MetricsText>) -> impl Responder {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::{TestRequest, call_service, init_service, read_body};
    use actix_web::{App, http::StatusCode};

    #[actix_web::test]
    async fn only_get_of_the_metrics_page_is_served() {
        let text: MetricsText = Arc::new(|| "restwell_build_info 1\n".to_owned());
        let app = init_service(App::new().configure(configure_metrics(text))).await;
        let answer = call_service(&app, TestRequest::get().uri("/metrics").to_request()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers().get("content-type").unwrap(), "text/plain; version=0.0.4; charset=utf-8");
        assert_eq!(read_body(answer).await, "restwell_build_info 1\n");
        for (request, status) in [
            (TestRequest::post().uri("/metrics"), StatusCode::METHOD_NOT_ALLOWED),
            (TestRequest::get().uri("/"), StatusCode::NOT_FOUND),
            (TestRequest::get().uri("/livez"), StatusCode::NOT_FOUND),
        ] {
            assert_eq!(call_service(&app, request.to_request()).await.status(), status);
        }
    }
}
