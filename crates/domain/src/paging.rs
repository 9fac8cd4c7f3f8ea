//! Pages of a list.

/// Maximum number of records per page (contract, Limits).
pub const MAX_PAGE_SIZE: u16 = 10_000;

/// Why a paging parameter is invalid; shown to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPaging {
    /// Not plain decimal digits, or more than 18.
    #[error("must be a whole number in plain decimal digits, at most 18 of them")]
    NotAnInteger,
    /// The page is 0.
    #[error("must be greater than 0")]
    PageIsZero,
    /// The page size is 0 or above [`MAX_PAGE_SIZE`].
    #[error("must be between 1 and 10000")]
    PageSizeOutOfRange,
    /// The limit is 0 or above [`ChangeLimit::MAX`].
    #[error("must be between 1 and 1000")]
    ChangeLimitOutOfRange,
}

/// Parses plain decimal digits, at most 18 (decisions 5); no sign, blank or separator.
fn parse_digits(text: &str) -> Result<u64, InvalidPaging> {
    if text.is_empty() || text.len() > 18 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidPaging::NotAnInteger);
    }
    text.parse().map_err(|_| InvalidPaging::NotAnInteger)
}

/// Page number, from 1 (contract, sleep endpoint).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageNumber(u64);

impl PageNumber {
    /// The first page.
    pub const FIRST: Self = Self(1);

    /// Parses the `page` parameter.
    pub fn parse(text: &str) -> Result<Self, InvalidPaging> {
        match parse_digits(text)? {
            0 => Err(InvalidPaging::PageIsZero),
            number => Ok(Self(number)),
        }
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the next page.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the previous page; `None` on the first.
    pub const fn previous(self) -> Option<Self> {
        if self.0 > 1 { Some(Self(self.0 - 1)) } else { None }
    }
}

/// Maximum number of records on a page, 1 to [`MAX_PAGE_SIZE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageSize(u16);

impl PageSize {
    /// Default page size of sleep (decisions 5).
    pub const SLEEP_DEFAULT: Self = Self(100);
    /// Default page size of supplements (contract, supplements endpoint).
    pub const SUPPLEMENTS_DEFAULT: Self = Self(1000);

    /// Parses the `pageSize` parameter.
    pub fn parse(text: &str) -> Result<Self, InvalidPaging> {
        let size = parse_digits(text)?;
        u16::try_from(size).ok().and_then(Self::new).ok_or(InvalidPaging::PageSizeOutOfRange)
    }

    /// Checks a size.
    pub const fn new(size: u16) -> Option<Self> {
        if size >= 1 && size <= MAX_PAGE_SIZE { Some(Self(size)) } else { None }
    }

    /// Returns the size.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// Maximum number of changes on a page of the change feed, 1 to [`Self::MAX`]; each includes its whole
/// record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeLimit(u16);

impl ChangeLimit {
    /// Default limit.
    pub const DEFAULT: Self = Self(100);
    /// Maximum limit.
    pub const MAX: u16 = 1_000;

    /// Parses the `limit` parameter.
    pub fn parse(text: &str) -> Result<Self, InvalidPaging> {
        let limit = u16::try_from(parse_digits(text)?).unwrap_or(u16::MAX);
        let is_in_range = (1..=Self::MAX).contains(&limit);
        is_in_range.then_some(Self(limit)).ok_or(InvalidPaging::ChangeLimitOutOfRange)
    }

    /// Returns the number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// Sort order by time; ties are broken by `id` in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortDirection {
    /// Oldest first: `asc`.
    Ascending,
    /// Newest first: `desc`, the default (contract, sleep endpoint, rule 1).
    #[default]
    Descending,
}

impl SortDirection {
    /// Parses the `sort` parameter: exactly `asc` or `desc`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "asc" => Some(Self::Ascending),
            "desc" => Some(Self::Descending),
            _ => None,
        }
    }
}

/// A requested page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Page number.
    pub number: PageNumber,
    /// Page size.
    pub size: PageSize,
    /// Sort order.
    pub sort: SortDirection,
}

impl PageRequest {
    /// Returns the number of records before this page.
    ///
    /// Saturates at `i64::MAX`, which is past the end of any list (decisions 5).
    pub fn offset(&self) -> i64 {
        let before = (self.number.get() - 1).saturating_mul(u64::from(self.size.get()));
        i64::try_from(before).unwrap_or(i64::MAX)
    }

    /// Returns the number of records to read: one more than the page size, to detect a next page.
    pub fn limit_with_lookahead(&self) -> i64 {
        i64::from(self.size.get()) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_is_a_whole_number_above_zero() {
        assert_eq!(PageNumber::parse("7").unwrap().get(), 7);
        assert_eq!(PageNumber::parse("007").unwrap().get(), 7);
        assert_eq!(PageNumber::parse("0"), Err(InvalidPaging::PageIsZero));
        for text in ["", "-1", "+1", "1.0", "1e3", " 1", "1 ", "one", "\u{661}", "0x1"] {
            assert_eq!(PageNumber::parse(text), Err(InvalidPaging::NotAnInteger), "{text}");
        }
    }

    #[test]
    fn a_page_size_is_between_1_and_10000() {
        assert_eq!(PageSize::parse("10000").unwrap().get(), 10_000);
        for text in ["0", "10001", "70000", "999999999999999999"] {
            assert_eq!(PageSize::parse(text), Err(InvalidPaging::PageSizeOutOfRange), "{text}");
        }
    }

    #[test]
    fn a_limit_of_changes_is_between_1_and_1000() {
        assert_eq!(ChangeLimit::parse("1").unwrap().get(), 1);
        assert_eq!(ChangeLimit::parse("1000").unwrap().get(), 1_000);
        for text in ["0", "1001", "70000", "999999999999999999"] {
            assert_eq!(ChangeLimit::parse(text), Err(InvalidPaging::ChangeLimitOutOfRange), "{text}");
        }
        assert_eq!(ChangeLimit::parse("-1"), Err(InvalidPaging::NotAnInteger));
    }

    #[test]
    fn eighteen_digits_are_a_page_and_nineteen_are_not() {
        assert!(PageNumber::parse("999999999999999999").is_ok());
        assert_eq!(PageNumber::parse("1000000000000000000"), Err(InvalidPaging::NotAnInteger));
    }

    #[test]
    fn sort_is_exactly_asc_or_desc() {
        assert_eq!(SortDirection::parse("asc"), Some(SortDirection::Ascending));
        assert_eq!(SortDirection::parse("desc"), Some(SortDirection::Descending));
        assert_eq!(SortDirection::parse("DESC"), None);
    }

    proptest! {
        #[test]
        fn an_offset_never_overflows(number in 1u64..=999_999_999_999_999_999, size in 1u16..=10_000) {
            let request = PageRequest {
                number: PageNumber(number),
                size: PageSize::new(size).unwrap(),
                sort: SortDirection::default(),
            };
            let exact = u128::from(number - 1) * u128::from(size);
            prop_assert_eq!(u128::try_from(request.offset()).unwrap(), exact.min(i64::MAX as u128));
        }

        #[test]
        fn parsing_arbitrary_text_never_panics(text in ".*") {
            let _ = (PageNumber::parse(&text), PageSize::parse(&text), SortDirection::parse(&text));
        }
    }
}
