//! The table of endpoints: paths, methods and audiences.

mod audience;
mod reference;
mod table;
#[cfg(test)]
mod tests;

pub use audience::{Audience, Credential, Outcome};
pub use reference::authorization_reference;
pub use table::{Endpoint, EndpointRow};
