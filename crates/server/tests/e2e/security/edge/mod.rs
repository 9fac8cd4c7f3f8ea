//! In front of the replicas: HAProxy and nginx with the files of `deploy`, and the limits of the replicas
//! themselves.

mod address;
mod log;
mod overload;
mod proxy;
mod relay;
mod retry;
mod wire;
