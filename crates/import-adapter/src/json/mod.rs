//! JSON documents as sequences of records, and members of varying type.

mod bounded;
mod decode;
mod document;
mod loose;
mod object;
mod page;
mod records;
mod values;

pub(crate) use bounded::Bounded;
pub(crate) use decode::{check, decode, reason};
pub(crate) use document::{Document, Layout, Record};
pub(crate) use loose::LooseScalar;
pub(crate) use page::Page;
pub(crate) use records::{DocumentReader, ReadRecord};
pub(crate) use values::Values;

#[cfg(test)]
mod tests;
