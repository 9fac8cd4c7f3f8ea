//! Fixed-width decimal digits, parsed and printed without allocation.

/// Parses ASCII digits; `None` if empty, invalid or too large.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns the last decimal digit of a number as an ASCII character.
const fn last_digit(value: u32) -> u8 {
    let [low, ..] = (value % 10).to_le_bytes();
    b'0' + low
}

/// Returns the last two decimal digits of a number.
pub(super) const fn two(value: u32) -> [u8; 2] {
    [last_digit(value / 10), last_digit(value)]
}

/// Returns the two decimal digits of a number below 100, without a division.
#[inline]
pub(super) const fn pair(value: u32) -> [u8; 2] {
    // 103 / 1024 approximates a tenth well enough for numbers below 100.
    let tens = (value * 103) >> 10;
    let ([tens_digit, ..], [ones_digit, ..]) = (tens.to_le_bytes(), (value - tens * 10).to_le_bytes());
    [b'0' + tens_digit, b'0' + ones_digit]
}

/// Returns the three decimal digits of a number below 1,000.
#[inline]
pub(super) const fn three(value: u32) -> [u8; 3] {
    let hundreds = value / 100;
    let [tens, ones] = pair(value - hundreds * 100);
    [last_digit(hundreds), tens, ones]
}

/// Returns the four decimal digits of a number below 10,000.
#[inline]
pub(super) const fn four(value: u32) -> [u8; 4] {
    let hundreds = value / 100;
    let ([a, b], [c, d]) = (pair(hundreds), pair(value - hundreds * 100));
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::{pair, three, two};

    #[test]
    fn three_digits_are_those_of_every_number_below_a_thousand() {
        for value in 0..1_000 {
            assert_eq!(String::from_utf8(three(value).to_vec()).unwrap(), format!("{value:03}"));
        }
    }

    #[test]
    fn a_pair_is_the_two_digits_of_every_number_below_a_hundred() {
        for value in 0..100 {
            assert_eq!(pair(value), two(value), "{value}");
        }
    }
}
