//! `get_profile`: the profile as the API returns it.

use super::{ToolCall, ToolError};
use domain::data_kind::DataKind;
use http_adapter::RequestContext;
use http_adapter::data::profile::ProfileDto;
use http_adapter::problem::{Fault, Problem};
use serde_json::{Value, json};

pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let access = call.admit(DataKind::Profile).await?;
    call.arguments(&[])?;
    let Some(user) = call.state.api.read_records.profile(&access).await? else {
        // Deleted since the access check: the token is invalid now, and that answer has no counter.
        RequestContext::of(call.request).rate = None;
        return Err(Problem::new(Fault::InvalidToken).into());
    };
    let profile = serde_json::to_value(ProfileDto::new(&user, access.scopes)).map_err(Problem::internal)?;
    Ok(json!({ "missing": unknown(&profile), "profile": profile }))
}

/// Lists the members whose values are not known.
pub(super) fn unknown(profile: &Value) -> Vec<&str> {
    let members = profile.as_object().into_iter().flatten();
    members.filter(|(_, value)| value.is_null()).map(|(name, _)| name.as_str()).collect()
}
