//! Parses parameters with the domain's parsers, and collects all errors.

use super::parameters;
use crate::parameter::Parameters;
use crate::problem::{FieldError, Problem};
use actix_web::HttpRequest;
use domain::paging::{InvalidPaging, PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateParameter;
use std::borrow::Cow;
use std::fmt::Display;

/// Parser of the known parameters of one request.
pub(in crate::data) struct Reader<'a> {
    given: Parameters<'a>,
    errors: Vec<FieldError>,
}

impl<'a> Reader<'a> {
    /// Reads the query of a request; each known parameter must be unique and not empty.
    pub(in crate::data) fn open(request: &'a HttpRequest, known: &[&'static str]) -> Result<Self, Problem> {
        Ok(Self { given: parameters(request, known)?, errors: Vec::new() })
    }

    /// Parses a parameter, or records its error.
    pub(in crate::data) fn read<T, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        match parse(self.given.get(name)?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(name, error.to_string());
                None
            }
        }
    }

    pub(in crate::data) fn date(&mut self, name: &'static str) -> Option<DateParameter> {
        self.read(name, DateParameter::parse)
    }

    /// Parses a boolean; false if absent.
    pub(in crate::data) fn flag(&mut self, name: &'static str) -> bool {
        let parse = |text: &str| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("must be true, false, 1 or 0"),
        };
        self.read(name, parse).unwrap_or_default()
    }

    /// Parses `page`, `pageSize` and `sort`.
    pub(in crate::data) fn page(&mut self, default_size: PageSize) -> PageRequest {
        let sort = |text: &str| SortDirection::parse(text).ok_or("must be asc or desc");
        PageRequest {
            number: self.read::<_, InvalidPaging>("page", PageNumber::parse).unwrap_or(PageNumber::FIRST),
            size: self.read::<_, InvalidPaging>("pageSize", PageSize::parse).unwrap_or(default_size),
            sort: self.read("sort", sort).unwrap_or_default(),
        }
    }

    /// Records the error of a parameter.
    pub(in crate::data) fn refuse(&mut self, name: &'static str, message: impl Into<Cow<'static, str>>) {
        self.errors.push(FieldError::new(name, message));
    }

    /// Returns the parameters, or all recorded errors.
    pub(in crate::data) fn finish(self) -> Result<Parameters<'a>, Problem> {
        if self.errors.is_empty() { Ok(self.given) } else { Err(Problem::invalid_parameters(self.errors)) }
    }
}
