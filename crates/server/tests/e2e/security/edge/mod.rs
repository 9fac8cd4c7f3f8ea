//! What stands between callers and replicas: HAProxy and nginx with the very files of `deploy`, and the bounds of the
//! replicas themselves.

mod address;
mod log;
mod overload;
mod proxy;
mod relay;
mod retry;
mod wire;
