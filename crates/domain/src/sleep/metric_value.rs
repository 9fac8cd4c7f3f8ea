//! Value of a metric, exact where a decimal is exact.

/// Bound of a decimal's mantissa: fifteen digits, which a binary64 number preserves.
const MANTISSA_BOUND: i64 = 1_000_000_000_000_000;

/// Number of a metric: a decimal with at most fifteen digits and four decimal places, otherwise the original
/// binary64 number.
///
/// Each number has one representation, so equality is numeric. NaN, infinities and negative zero do not
/// occur. A binary64 number round-trips unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricValue(Form);

/// The two representations; a decimal is used whenever one reads as the same binary64 number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// `mantissa / 10^scale` with the smallest possible scale.
    Decimal { mantissa: i64, scale: u8 },
    /// Any other finite number.
    Raw(f64),
}

impl MetricValue {
    /// Maximum number of decimal places.
    pub const MAX_SCALE: u8 = 4;

    /// Creates `mantissa / 10^scale`; `None` if it needs more than fifteen digits or four decimal places.
    pub fn from_decimal(mantissa: i64, scale: u8) -> Option<Self> {
        let (mut mantissa, mut scale) = (mantissa, scale);
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        let fits = scale <= Self::MAX_SCALE && (-MANTISSA_BOUND..=MANTISSA_BOUND).contains(&mantissa);
        (fits && mantissa.abs() != MANTISSA_BOUND).then_some(Self(Form::Decimal { mantissa, scale }))
    }

    /// Creates `mantissa / 10^scale`; `None` if [`Self::from_decimal`] would change the scale or fail.
    #[inline]
    pub(super) const fn from_lowest_terms(mantissa: i64, scale: u8) -> Option<Self> {
        let is_lowest = scale == 0 || (scale <= Self::MAX_SCALE && mantissa % 10 != 0);
        if is_lowest && -MANTISSA_BOUND < mantissa && mantissa < MANTISSA_BOUND {
            return Some(Self(Form::Decimal { mantissa, scale }));
        }
        None
    }

    /// Converts a binary64 number; `None` for NaN and the infinities.
    pub fn from_f64(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        if let Some(whole) = exact_whole(number) {
            return Some(whole);
        }
        let decimal = (1..=Self::MAX_SCALE).find_map(|scale| exact_decimal(number, scale));
        Some(decimal.unwrap_or(Self(Form::Raw(number))))
    }

    /// Converts a count.
    pub fn from_count(count: u32) -> Self {
        Self(Form::Decimal { mantissa: i64::from(count), scale: 0 })
    }

    /// Converts milliseconds to seconds with up to three decimal places; `None` beyond fifteen digits.
    pub fn seconds_from_millis(millis: i64) -> Option<Self> {
        Self::from_decimal(millis, 3)
    }

    /// Returns `part` as a percentage of `whole`, rounded half up to four decimal places; `None` if the whole
    /// is not positive or a number is too large for a night.
    pub fn percent_of(part: i64, whole: i64) -> Option<Self> {
        if whole <= 0 {
            return None;
        }
        let scaled = part.checked_mul(1_000_000)?.checked_add(whole / 2)?;
        Self::from_decimal(scaled.div_euclid(whole), 4)
    }

    /// Returns the number, or the nearest binary64 number of a decimal.
    #[expect(clippy::cast_precision_loss, reason = "a mantissa has at most fifteen digits: exact")]
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Form::Decimal { mantissa, scale } => mantissa as f64 / power_of_ten(scale),
            Form::Raw(number) => number,
        }
    }

    /// Returns the number if it is whole and has at most fifteen digits.
    #[inline]
    pub const fn as_integer(self) -> Option<i64> {
        match self.0 {
            Form::Decimal { mantissa, scale: 0 } => Some(mantissa),
            Form::Decimal { .. } | Form::Raw(_) => None,
        }
    }

    /// Returns whether the number is less than zero.
    #[inline]
    pub fn is_negative(self) -> bool {
        match self.0 {
            Form::Decimal { mantissa, scale: _ } => mantissa < 0,
            Form::Raw(number) => number < 0.0,
        }
    }

    /// Returns whether the number is at most 100.
    #[inline]
    pub fn is_at_most_a_hundred(self) -> bool {
        match self.0 {
            // A decimal has at most four places, so the product is small.
            Form::Decimal { mantissa, scale } => mantissa <= 100 * whole_power_of_ten(scale),
            Form::Raw(number) => number <= 100.0,
        }
    }

    /// Appends the number as JSON: the output of `serde_json` for [`Self::as_integer`] if present, otherwise
    /// for [`Self::as_f64`].
    pub fn write_json(self, out: &mut Vec<u8>) {
        match self.short_json() {
            Some((text, length)) => out.extend_from_slice(text.get(..length).unwrap_or_default()),
            None => self.write_any_json(out),
        }
    }

    /// Returns the output of [`Self::write_json`] and its length for common numbers: non-negative decimals
    /// with at most eight digits.
    #[inline]
    pub fn short_json(self) -> Option<([u8; 16], usize)> {
        let Form::Decimal { mantissa, scale } = self.0 else { return None };
        let number = u32::try_from(mantissa).ok().filter(|number| *number < 100_000_000)?;
        let digits = eight_digits(number);
        // The last digit of the whole part stays even if it is a zero.
        let of_whole = 8 - u32::from(scale);
        let leading_zeros = (digits - ZEROS).trailing_zeros() / 8;
        let left_out = leading_zeros.min(of_whole - 1);
        let (digits, of_whole) = (digits >> (8 * left_out), of_whole - left_out);
        let whole = u128::from(digits) & ((1 << (8 * of_whole)) - 1);
        let point = u128::from(b'.') << (8 * of_whole);
        let fraction = u128::from(digits) >> (8 * of_whole) << (8 * of_whole + 8);
        let length = if scale == 0 { of_whole } else { of_whole + 1 + u32::from(scale) };
        Some(((whole | point | fraction).to_le_bytes(), usize::try_from(length).ok()?))
    }

    fn write_any_json(self, out: &mut Vec<u8>) {
        match self.0 {
            Form::Decimal { mantissa, scale: 0 } => {
                out.extend_from_slice(itoa::Buffer::new().format(mantissa).as_bytes());
            }
            Form::Decimal { mantissa, scale } => write_decimal(mantissa, scale, out),
            Form::Raw(number) => {
                out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes());
            }
        }
    }

    /// Returns the representation.
    pub(super) const fn form(self) -> Form {
        self.0
    }
}

/// Returns the whole number of at most fifteen digits that equals this number.
#[expect(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the comparison rejects a truncated or saturated number"
)]
fn exact_whole(number: f64) -> Option<MetricValue> {
    let mantissa = number as i64;
    let is_same = mantissa as f64 == number && mantissa.unsigned_abs() < MANTISSA_BOUND.unsigned_abs();
    is_same.then_some(MetricValue(Form::Decimal { mantissa, scale: 0 }))
}

/// Returns the decimal of the given scale that reads as exactly this number.
///
/// Up to fifteen digits, a decimal and its nearest binary64 number determine each other, so a comparison is
/// sufficient.
#[expect(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the numbers must be identical, and the magnitude is checked before the cast"
)]
fn exact_decimal(number: f64, scale: u8) -> Option<MetricValue> {
    let power = power_of_ten(scale);
    let scaled = (number * power).round();
    if scaled.abs() >= MANTISSA_BOUND as f64 || scaled / power != number {
        return None;
    }
    MetricValue::from_decimal(scaled as i64, scale)
}

/// Returns 10 to the scale, exactly.
fn power_of_ten(scale: u8) -> f64 {
    match scale {
        0 => 1.0,
        1 => 10.0,
        2 => 100.0,
        3 => 1_000.0,
        4 => 10_000.0,
        _ => 10_f64.powi(i32::from(scale)),
    }
}

/// Returns 10 to the scale of a value.
const fn whole_power_of_ten(scale: u8) -> i64 {
    match scale {
        0 => 1,
        1 => 10,
        2 => 100,
        3 => 1_000,
        _ => 10_000,
    }
}

/// Writes a decimal that is not whole. With fewer than sixteen digits, this is the shortest text of its
/// binary64 number.
fn write_decimal(mantissa: i64, scale: u8, out: &mut Vec<u8>) {
    if mantissa < 0 {
        out.push(b'-');
    }
    let power = whole_power_of_ten(scale).unsigned_abs();
    let digits = mantissa.unsigned_abs();
    out.extend_from_slice(itoa::Buffer::new().format(digits / power).as_bytes());
    out.push(b'.');
    let mut buffer = itoa::Buffer::new();
    let fraction = buffer.format(digits % power).as_bytes();
    out.extend(std::iter::repeat_n(b'0', usize::from(scale).saturating_sub(fraction.len())));
    out.extend_from_slice(fraction);
}

/// Eight zero digits.
const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// Returns the eight decimal digits of a number below a hundred million in ASCII, the first one in the lowest
/// byte.
///
/// Splits the number into groups of four, two and one digits. All groups of one size are divided at once by a
/// multiplication that is exact for their size.
#[inline]
const fn eight_digits(number: u32) -> u64 {
    let high = number / 10_000;
    let fours = high as u64 | ((number - high * 10_000) as u64) << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    ZEROS + (tens | (twos - tens * 10) << 8)
}

#[cfg(test)]
mod tests;
