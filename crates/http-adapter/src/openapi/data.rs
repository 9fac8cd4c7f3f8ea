//! The data endpoints.

use super::response::{ErrorForm, Group, json, limited};
use super::schema::{BEARER, reference};
use super::{example, parameter};
use crate::data::dto::{ProfileAnswer, SleepAnswer, SupplementsAnswer};
use crate::problem::Fault;
use domain::data_endpoint::DataEndpoint;
use domain::paging::PageSize;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, Parameter, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{RefOr, Schema};

pub(super) const TAG: &str = "data";

pub(super) const ERRORS: Group = Group {
    name: "Data",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidParameter,
        Fault::InvalidUserId,
        Fault::MissingToken,
        Fault::InvalidToken,
        Fault::OtherUser,
        Fault::InsufficientScope,
        Fault::NotFound,
        Fault::RateLimited,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::Problem,
};

/// Lists the paths: each endpoint with `v1`, and without, where the links of a page lead.
pub(super) fn paths() -> Vec<(String, PathItem)> {
    let path = |prefix: &str, endpoint: DataEndpoint| format!("{prefix}/{}/{{user_id}}", endpoint.as_str());
    let item = |operation: Operation| PathItem::new(HttpMethod::Get, operation);
    DataEndpoint::ALL
        .into_iter()
        .flat_map(|endpoint| {
            [
                (path("/api/v1", endpoint), item(operation(endpoint, ""))),
                (path("/api", endpoint), item(operation(endpoint, "Unversioned"))),
            ]
        })
        .collect()
}

/// What is particular to one endpoint.
struct Particulars {
    name: &'static str,
    summary: &'static str,
    schema: RefOr<Schema>,
    example: serde_json::Value,
    parameters: Vec<Parameter>,
}

fn operation(endpoint: DataEndpoint, suffix: &str) -> Operation {
    let Particulars { name, summary, schema, example, parameters } = particulars(endpoint);
    let scope = endpoint.scope();
    let mut text =
        format!("Needs the scope `{scope}`. Unknown parameters are ignored; a known one at most once.");
    if !suffix.is_empty() {
        text.push_str(" The same endpoint as the path with `v1`, with the same counter: links lead here.");
    }
    let mut operation = OperationBuilder::new()
        .operation_id(Some(format!("{name}{suffix}")))
        .tag(TAG)
        .summary(Some(summary))
        .description(Some(text))
        .security(SecurityRequirement::new(BEARER, [scope.as_str()]))
        .parameter(parameter::user_id())
        .response("200", limited(json(summary, schema, example)).build());
    for parameter in parameters {
        operation = operation.parameter(parameter);
    }
    ERRORS.refer(operation).build()
}

fn particulars(endpoint: DataEndpoint) -> Particulars {
    match endpoint {
        DataEndpoint::Profile => Particulars {
            name: "readProfile",
            summary: "The profile of a person",
            schema: reference::<ProfileAnswer>(),
            example: example::profile(),
            parameters: Vec::new(),
        },
        DataEndpoint::Sleep => Particulars {
            name: "readSleep",
            summary: "A page of a person's sleep sessions",
            schema: reference::<SleepAnswer>(),
            example: example::sleep(),
            parameters: sleep_parameters(),
        },
        DataEndpoint::Supplements => Particulars {
            name: "readSupplements",
            summary: "A page of the supplements that a person takes",
            schema: reference::<SupplementsAnswer>(),
            example: example::supplements(),
            parameters: supplements_parameters(),
        },
    }
}

fn sleep_parameters() -> Vec<Parameter> {
    let of_what = "Sessions whose time in bed starts";
    let mut parameters = vec![
        parameter::start_date(of_what),
        parameter::end_date(of_what),
        parameter::flag("include_stages", "Whether each session carries `raw_sleep`."),
        parameter::flag("include_metrics", "Whether each session carries `sleep_metric`."),
    ];
    parameters.extend(parameter::paging(PageSize::SLEEP_DEFAULT));
    parameters
}

fn supplements_parameters() -> Vec<Parameter> {
    let mut parameters = vec![parameter::start_date("Logs"), parameter::supplement_id()];
    parameters.extend(parameter::paging(PageSize::SUPPLEMENTS_DEFAULT));
    parameters
}
