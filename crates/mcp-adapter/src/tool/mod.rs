//! The tools: names, required data and execution.
//!
//! Tools only read, and none has an argument for the person: the token determines whose data is read. A call
//! counts against the daily limit of each kind of data that it reads, even if its arguments are invalid, as
//! at the data endpoints.

mod answer;
mod argument;
mod coverage;
mod days;
mod night;
mod profile;
mod schema;
mod session;
mod sleep;
mod supplements;
mod trend;

use crate::McpState;
use actix_web::HttpRequest;
use application::StorageError;
use application::access::{GrantedAccess, Permission};
use argument::{Arguments, InvalidArgument};
use chrono::NaiveDate;
use domain::data_kind::DataKind;
use domain::scope::ScopeSet;
use http_adapter::data::gate;
use http_adapter::problem::{Fault, Problem};
use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// What is recorded.
    Coverage,
    /// A line per night.
    Sleep,
    /// One night with its stages.
    Night,
    /// Medians per week or month.
    Trend,
    /// Intake per day.
    Supplements,
    /// The profile.
    Profile,
}

impl Tool {
    /// Every tool, in the order in which they are listed.
    pub(crate) const ALL: [Self; 6] =
        [Self::Coverage, Self::Sleep, Self::Night, Self::Trend, Self::Supplements, Self::Profile];

    const fn name(self) -> &'static str {
        match self {
            Self::Coverage => "get_coverage",
            Self::Sleep => "get_sleep",
            Self::Night => "get_night",
            Self::Trend => "get_sleep_trend",
            Self::Supplements => "get_supplements",
            Self::Profile => "get_profile",
        }
    }

    /// Returns the tool with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Returns whether a token with these scopes may call the tool.
    pub(crate) fn is_allowed(self, usable: ScopeSet) -> bool {
        let needed = match self {
            Self::Coverage => return !usable.intersection(ScopeSet::CONSENTABLE).is_empty(),
            Self::Sleep | Self::Night | Self::Trend => DataKind::Sleep,
            Self::Supplements => DataKind::Supplements,
            Self::Profile => DataKind::Profile,
        };
        usable.contains(needed.scope())
    }

    /// Returns the tool's entry in `tools/list`.
    pub(crate) fn definition(self) -> Value {
        let schema::ToolDescription { title, description, input, output } = schema::describe(self);
        json!({
            "name": self.name(),
            "title": title,
            "description": description,
            "inputSchema": input,
            "outputSchema": output,
            "annotations": {
                "title": title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }

    /// Runs the tool and returns the result of `tools/call`. Invalid arguments are reported in the result, so
    /// that a model can correct them; a problem becomes an error response.
    pub(crate) async fn run(self, call: &ToolCall<'_>) -> Result<Value, Problem> {
        let outcome = match self {
            Self::Coverage => coverage::run(call).await,
            Self::Sleep => sleep::run(call).await,
            Self::Night => night::run(call).await,
            Self::Trend => trend::run(call).await,
            Self::Supplements => supplements::run(call).await,
            Self::Profile => profile::run(call).await,
        };
        match outcome {
            Ok(mut answer) => {
                answer::sanitize(&mut answer);
                Ok(json!({
                    "content": [{ "type": "text", "text": answer.to_string() }],
                    "structuredContent": answer,
                    "isError": false,
                }))
            }
            Err(ToolError::Invalid(InvalidArgument(message))) => Ok(json!({
                "content": [{ "type": "text", "text": message }],
                "isError": true,
            })),
            Err(ToolError::Problem(problem)) => Err(problem),
        }
    }
}

/// Why a tool returns no answer.
enum ToolError {
    Invalid(InvalidArgument),
    Problem(Problem),
}

impl From<InvalidArgument> for ToolError {
    fn from(error: InvalidArgument) -> Self {
        Self::Invalid(error)
    }
}

impl From<Problem> for ToolError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<StorageError> for ToolError {
    fn from(error: StorageError) -> Self {
        Self::Problem(error.into())
    }
}

/// A call of a tool.
pub(crate) struct ToolCall<'a> {
    pub(crate) request: &'a HttpRequest,
    pub(crate) state: &'a McpState,
    pub(crate) permission: &'a Permission,
    pub(crate) arguments: &'a Map<String, Value>,
}

impl ToolCall<'_> {
    /// Authorizes and counts a read of one kind of data. An error about the scope names it.
    async fn admit(&self, kind: DataKind) -> Result<GrantedAccess, Problem> {
        let access = gate::admit_identified(self.request, &self.state.api, self.permission, kind).await;
        access.map_err(|problem| match problem.fault() {
            Fault::InsufficientScope => {
                problem.detail(format!("This token lacks the scope {}.", kind.scope()))
            }
            _ => problem,
        })
    }

    /// Returns the arguments, none of which has another name than these.
    fn arguments(&self, names: &'static [&'static str]) -> Result<Arguments<'_>, InvalidArgument> {
        Arguments::new(self.arguments, names)
    }

    /// Returns today's date where the person is at home.
    fn today(&self, access: &GrantedAccess) -> NaiveDate {
        self.state.nights.today(access.home_timezone)
    }
}

#[cfg(test)]
mod tests;
