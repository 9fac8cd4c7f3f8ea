//! Access control of the data and ingest endpoints.

mod authorize_access;
mod authorize_ingest;
mod token_check;

pub use authorize_access::{
    AccessPorts, AuthorizeAccess, AuthorizeAccessError, Caller, DailyLimits, GrantedAccess, Permission,
};
pub use authorize_ingest::*;
pub use token_check::*;

#[cfg(test)]
mod tests;
