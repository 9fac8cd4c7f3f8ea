//! Pagination links (decisions 5).

use super::dto::PaginationDto;
use crate::parameter::{Parameter, Parameters};
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::paging::{PageNumber, PageRequest};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Characters that are not allowed in a query (RFC 3986 section 3.4) or could end it. The percent sign is
/// allowed: an accepted value is properly encoded already.
const NOT_IN_A_QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// List to which a page belongs.
pub(super) struct List<'a> {
    pub(super) endpoint: DataKind,
    pub(super) user_id: UserId,
    pub(super) given: &'a Parameters<'a>,
}

impl List<'_> {
    /// Returns the pagination of a page.
    pub(super) fn pagination(&self, page: PageRequest, has_more: bool) -> PaginationDto {
        PaginationDto {
            current_page: page.number.get(),
            has_more,
            next_page: has_more.then(|| self.link(page, page.number.next())),
            prev_page: page.number.previous().map(|number| self.link(page, number)),
        }
    }

    /// Repeats the parameters as sent, with another page, on the unversioned path of the contract's example.
    fn link(&self, page: PageRequest, number: PageNumber) -> String {
        let mut link = format!("/api/{}/{}?", self.endpoint.as_str(), self.user_id);
        for Parameter { name, value: _, raw } in self.given.iter() {
            if !matches!(*name, "page" | "pageSize") {
                let value = raw.split_once('=').map_or("", |(_, value)| value);
                link.push_str(name);
                link.push('=');
                link.extend(utf8_percent_encode(value, NOT_IN_A_QUERY));
                link.push('&');
            }
        }
        link + &format!("page={}&pageSize={}", number.get(), page.size.get())
    }
}
