//! `/metrics`, on a separate listener for the operator. It is not part of the public interface.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use std::sync::Arc;

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
