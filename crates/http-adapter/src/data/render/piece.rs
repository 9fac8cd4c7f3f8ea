//! Pieces of a text that are copied whole.
//!
//! A page is some ten thousand pieces of a dozen bytes. To append one of unknown length is a call of its own. Each piece
//! here stands in room for the longest of its kind, whose size the compiler knows: all of that is copied, in a few
//! instructions, and what was too much is cut off again.

/// A piece in its room, and its length.
pub(super) type Piece<const MOST: usize> = ([u8; MOST], usize);

/// Makes a piece of a text, which is not longer than its room.
pub(super) fn piece<const MOST: usize>(text: &str) -> Piece<MOST> {
    let mut room = [0; MOST];
    room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    (room, text.len())
}

/// Appends the beginning of a piece, of this length.
#[inline]
pub(super) fn put<const MOST: usize>(out: &mut Vec<u8>, piece: &[u8; MOST], length: usize) {
    let end = out.len().saturating_add(length);
    out.extend_from_slice(piece);
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::{piece, put};

    #[test]
    fn what_is_too_much_of_a_piece_is_cut_off() {
        let mut text = b"[".to_vec();
        let (one, length) = piece::<16>("one,");
        put(&mut text, &one, length);
        put(&mut text, b"two, three", 3);
        assert_eq!(text, b"[one,two");
    }
}
