//! Reader of the small part of CBOR (RFC 8949) that authenticators send: CTAP2 allows neither indefinite
//! lengths nor tags, and at most four levels of nesting.

/// Maximum nesting of maps and arrays.
const MAX_DEPTH: u8 = 4;

/// The bytes are not CBOR of the expected form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MalformedCbor;

type CborResult<T> = Result<T, MalformedCbor>;

const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const SIMPLE: u8 = 7;

/// Reads items from the start of a slice.
#[derive(Clone)]
pub(super) struct CborReader<'a> {
    rest: &'a [u8],
}

impl<'a> CborReader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the bytes after the items read so far.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Fails if there are bytes after the items read so far.
    pub(super) fn end(&self) -> CborResult<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(MalformedCbor) }
    }

    fn take(&mut self, length: u64) -> CborResult<&'a [u8]> {
        let length = usize::try_from(length).map_err(|_| MalformedCbor)?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(MalformedCbor)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads the head of an item: its major type and its argument.
    fn head(&mut self) -> CborResult<(u8, u64)> {
        let [first] = self.take(1)? else { return Err(MalformedCbor) };
        let argument = match first & 0x1f {
            small @ 0..=23 => u64::from(small),
            size @ 24..=27 => {
                let bytes = self.take(1 << (size - 24))?;
                bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
            }
            // 28 to 30 are reserved; 31 is an indefinite length.
            _ => return Err(MalformedCbor),
        };
        Ok((first >> 5, argument))
    }

    fn expect(&mut self, major: u8) -> CborResult<u64> {
        let (found, argument) = self.head()?;
        if found == major { Ok(argument) } else { Err(MalformedCbor) }
    }

    /// Reads the head of a map and returns the number of its entries.
    pub(super) fn map(&mut self) -> CborResult<u64> {
        self.expect(MAP)
    }

    pub(super) fn bytes(&mut self) -> CborResult<&'a [u8]> {
        let length = self.expect(BYTES)?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> CborResult<&'a str> {
        let length = self.expect(TEXT)?;
        std::str::from_utf8(self.take(length)?).map_err(|_| MalformedCbor)
    }

    pub(super) fn integer(&mut self) -> CborResult<i64> {
        let (major, argument) = self.head()?;
        let argument = i64::try_from(argument).map_err(|_| MalformedCbor)?;
        match major {
            UNSIGNED => Ok(argument),
            NEGATIVE => Ok(-1 - argument),
            _ => Err(MalformedCbor),
        }
    }

    /// Skips one item of any type and returns its bytes.
    pub(super) fn skip(&mut self) -> CborResult<&'a [u8]> {
        let before = self.rest;
        self.skip_within(MAX_DEPTH)?;
        before.get(..before.len() - self.rest.len()).ok_or(MalformedCbor)
    }

    fn skip_within(&mut self, depth: u8) -> CborResult<()> {
        let (major, argument) = self.head()?;
        let items = match major {
            UNSIGNED | NEGATIVE | SIMPLE => return Ok(()),
            BYTES | TEXT => return self.take(argument).map(drop),
            ARRAY => argument,
            MAP => argument.checked_mul(2).ok_or(MalformedCbor)?,
            _ => return Err(MalformedCbor),
        };
        let depth = depth.checked_sub(1).ok_or(MalformedCbor)?;
        // Every item has at least one byte, so a false count ends with the bytes.
        for _ in 0..items {
            self.skip_within(depth)?;
        }
        Ok(())
    }
}
