//! Arrays of fixed-length elements: ids, times, numbers.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{Array, Double, Timestamptz};

/// Elements of an array without NULLs, in wire format: `LENGTH` big-endian bytes each.
///
/// The driver's own lists check the type of each element, which is slow for a person's logs: three arrays of
/// thousands.
#[derive(Debug, Clone, PartialEq, Eq, FromSqlRow)]
pub(crate) struct FixedArray<const LENGTH: usize>(Vec<[u8; LENGTH]>);

impl<const LENGTH: usize> FixedArray<LENGTH> {
    /// Parses an array: number of dimensions, NULL flag, element type, length and lower bound of the single
    /// dimension, then each element after its length.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (dimensions, rest) = number(bytes)?;
        let (has_nulls, rest) = number(rest)?;
        let (_type, rest) = number(rest)?;
        if dimensions == 0 {
            return (rest.is_empty() && has_nulls == 0).then(|| Self(Vec::new()));
        }
        let (count, rest) = number(rest)?;
        let (_lower_bound, rest) = number(rest)?;
        let count = usize::try_from(count).ok().filter(|_| dimensions == 1 && has_nulls == 0)?;
        if rest.len() != count.checked_mul(LENGTH.checked_add(4)?)? {
            return None;
        }
        let length = u32::try_from(LENGTH).ok()?;
        let mut elements = Vec::with_capacity(count);
        let mut are_whole = true;
        for bytes in rest.chunks_exact(LENGTH.checked_add(4)?) {
            let (stated, element) = number(bytes)?;
            are_whole &= stated == length;
            elements.push(element.try_into().ok()?);
        }
        are_whole.then_some(Self(elements))
    }

    pub(crate) fn into_elements(self) -> Vec<[u8; LENGTH]> {
        self.0
    }
}

/// Reads a four-byte number; returns it and the remaining bytes.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    bytes.split_first_chunk().map(|(number, rest)| (u32::from_be_bytes(*number), rest))
}

fn read<const LENGTH: usize>(value: &PgValue<'_>) -> deserialize::Result<FixedArray<LENGTH>> {
    FixedArray::parse(value.as_bytes()).ok_or_else(|| "not an array of elements of this length".into())
}

impl FromSql<Array<SqlUuid>, Pg> for FixedArray<16> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        read(&value)
    }
}

impl FromSql<Array<Timestamptz>, Pg> for FixedArray<8> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        read(&value)
    }
}

impl FromSql<Array<Double>, Pg> for FixedArray<8> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        read(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::FixedArray;
    use proptest::prelude::*;

    fn sent(elements: &[[u8; 8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let count = u32::try_from(elements.len()).unwrap();
        for number in [u32::from(count > 0), 0, 701] {
            bytes.extend(number.to_be_bytes());
        }
        if count > 0 {
            bytes.extend(count.to_be_bytes());
            bytes.extend(1_u32.to_be_bytes());
        }
        for element in elements {
            bytes.extend(8_u32.to_be_bytes());
            bytes.extend(element);
        }
        bytes
    }

    proptest! {
        #[test]
        fn arrays_round_trip(elements: Vec<[u8; 8]>) {
            prop_assert_eq!(FixedArray::parse(&sent(&elements)), Some(FixedArray(elements)));
        }

        #[test]
        fn bytes_that_are_no_such_array_are_refused(elements: Vec<[u8; 8]>, cut in 1_usize..40, place in 0_usize..8) {
            let bytes = sent(&elements);
            let shorter = bytes.len().saturating_sub(cut);
            prop_assert_eq!(FixedArray::<8>::parse(&bytes[..shorter]), None);
            let mut other = bytes;
            other[place] ^= 2;
            prop_assert_eq!(FixedArray::<8>::parse(&other), None);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = FixedArray::<16>::parse(&bytes);
        }
    }

    #[test]
    fn a_null_among_the_elements_is_refused() {
        let mut bytes = sent(&[[1; 8]]);
        bytes[7] = 1;
        assert_eq!(FixedArray::<8>::parse(&bytes), None);
    }
}
