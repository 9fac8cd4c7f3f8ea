//! What the handler of a request passes to the layers around it.

use crate::admission::ResponseOwner;
use crate::data::IgnoredParameters;
use actix_web::{HttpMessage as _, HttpRequest};
use application::client_usage::ClientRequest;
use domain::rate_limit::RateStatus;
use serde_json::Value;
use std::cell::RefMut;

/// What the handler of a request has found out; an extension of the request.
#[derive(Default)]
pub struct RequestContext {
    /// The limit that the request was counted against; from then on every response carries its counter
    /// (decisions 4).
    pub rate: Option<RateStatus>,
    /// Parameters that the endpoint does not know.
    pub(crate) ignored_parameters: Option<IgnoredParameters>,
    /// Owner of a large response, whose share it counts against.
    pub response_owner: Option<ResponseOwner>,
    /// The client, and what it used.
    pub(crate) client: Option<ClientRequest>,
    /// Id of the JSON-RPC request that an error answers.
    pub json_rpc_id: Option<Value>,
}

impl RequestContext {
    /// Returns the context of a request. Another call panics while it is held.
    pub fn of(request: &HttpRequest) -> RefMut<'_, Self> {
        RefMut::map(request.extensions_mut(), |extensions| extensions.get_or_insert_with(Self::default))
    }
}
