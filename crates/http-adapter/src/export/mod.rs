//! `GET /api/v1/export/{user_id}`: all data of one person, also for the person's own page.

mod body;
mod ndjson;
#[cfg(test)]
mod tests;

pub use body::attachment;
pub use ndjson::NdjsonExport;

use crate::data::dto::query::{ExportParameters, UserPath};
use crate::data::{DataErrors, gate};
use crate::example;
use crate::parameter::Parameters;
use crate::problem::Problem;
use crate::route::Endpoint;
use crate::state::ApiState;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use application::export::{ExportFormat, ExportQuery, Exporter};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::scope::ScopeSet;
use utoipa::OpenApi;

/// `OpenAPI` operations of this module.
#[derive(OpenApi)]
#[openapi(paths(show))]
pub(crate) struct ExportApi;

/// Registers the endpoint.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes.service(Endpoint::Export.resource().route(web::get().to(show)));
}

/// Everything that is stored about a person
///
/// Returns everything that the token allows: as lines that `restwell import` reads (JSON lines),
/// or as a zip archive of CSV files with a README. The response is streamed while the records are read; an
/// aborted response is incomplete.
#[utoipa::path(
    get, path = Endpoint::Export.path(), tag = "data", operation_id = "export",
    params(UserPath, ExportParameters),
    responses(
        (status = 200, description = "The export", content(
            (String = "application/x-ndjson", example = example::export_line),
            (String = "application/zip"),
        )),
        DataErrors,
    ),
)]
async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, PersonEndpoint::Export).await?;
    let ExportOptions { format, kinds } = parse_query(request.query_string())?;
    let scopes = allowed(access.usable, kinds)?;
    let by = Exporter::Reader(access.reader, state.export.reads.clone());
    let query = ExportQuery { user_id: access.user_id, scopes, by };
    let permit = gate::begin_page(&state, &access)?;
    let export = state.export.open(query, format).await?;
    drop(permit);
    Ok(attachment(export, format))
}

/// Parameters of a request.
#[derive(Debug)]
struct ExportOptions {
    format: ExportFormat,
    /// Requested types; all that the token allows if `None`.
    kinds: Option<Vec<DataKind>>,
}

fn parse_query(query: &str) -> Result<ExportOptions, Problem> {
    let parameters = Parameters::read(query, &["format", "types"])?;
    let format = match parameters.get("format") {
        None => ExportFormat::Ndjson,
        Some(text) => ExportFormat::parse(text)
            .ok_or_else(|| Problem::invalid_parameter("format", "must be ndjson or zip"))?,
    };
    let kinds = parameters.get("types").map(DataKind::parse_list).transpose();
    let kinds = kinds.map_err(|error| Problem::invalid_parameter("types", error.to_string()))?;
    Ok(ExportOptions { format, kinds })
}

/// Rejects a type that is requested but not allowed, as the change feed does.
fn allowed(usable: ScopeSet, kinds: Option<Vec<DataKind>>) -> Result<ScopeSet, Problem> {
    let Some(kinds) = kinds else { return Ok(usable) };
    let asked: ScopeSet = kinds.into_iter().map(DataKind::scope).collect();
    let needed: ScopeSet = asked.iter().filter(|scope| !usable.contains(*scope)).collect();
    if needed.is_empty() { Ok(asked) } else { Err(Problem::insufficient_scope(needed)) }
}
