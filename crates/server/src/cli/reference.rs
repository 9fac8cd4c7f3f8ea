//! `restwell reference`: generated documents.

use super::output;
use crate::settings;
use crate::telemetry;
use clap::Subcommand;
use http_adapter::openapi::openapi_json;
use http_adapter::{authorization_reference, error_reference};
use import_adapter::Format;

/// Reference documents.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ReferenceCommand {
    /// The `OpenAPI` document of the API
    Openapi,
    /// Every setting with its default and its environment variable
    Configuration,
    /// Every error code with its status and meaning
    Errors,
    /// Every endpoint with who may call it and how other callers are rejected
    Authorization,
    /// Every metric with its labels and meaning
    Metrics,
    /// Every format of files that can be imported
    Formats,
}

/// Prints a document.
pub(crate) fn run(command: ReferenceCommand) -> anyhow::Result<()> {
    let text = match command {
        ReferenceCommand::Openapi => openapi_json(),
        ReferenceCommand::Configuration => settings::reference(),
        ReferenceCommand::Errors => error_reference(),
        ReferenceCommand::Authorization => authorization_reference(),
        ReferenceCommand::Metrics => telemetry::metrics_reference(),
        ReferenceCommand::Formats => Format::reference(),
    };
    Ok(output::print_text(&text)?)
}
