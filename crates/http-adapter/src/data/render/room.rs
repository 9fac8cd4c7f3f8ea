//! Room at the end of a text, for pieces that are copied whole.
//!
//! A page is some ten thousand pieces of a dozen bytes. To append each to a vector is a call, a comparison and a copy of
//! unknown length; here room is made for all of them at once, and each is copied by its greatest length, which the
//! compiler knows: the next piece overwrites what was too much.

/// The room that is left.
pub(super) struct Room<'t> {
    rest: &'t mut [u8],
}

impl Room<'_> {
    /// Makes room for `most` bytes at the end of a text, and keeps what is written there; returns what the writer does.
    pub(super) fn fill<R>(text: &mut Vec<u8>, most: usize, write: impl FnOnce(&mut Room<'_>) -> R) -> R {
        let begin = text.len();
        text.resize(begin.saturating_add(most), 0);
        let mut room = Room { rest: text.get_mut(begin..).unwrap_or_default() };
        let written = write(&mut room);
        let left = room.rest.len();
        text.truncate(text.len().saturating_sub(left));
        written
    }

    /// Writes the beginning of a piece. There is room for the whole of it, because whoever made the room counted so.
    #[inline]
    pub(super) fn put<const MOST: usize>(&mut self, piece: &[u8; MOST], length: usize) {
        if let Some(place) = self.rest.first_chunk_mut() {
            *place = *piece;
        }
        self.skip(length);
    }

    /// Writes a piece of any length.
    pub(super) fn put_slice(&mut self, piece: &[u8]) {
        if let Some(place) = self.rest.get_mut(..piece.len()) {
            place.copy_from_slice(piece);
        }
        self.skip(piece.len());
    }

    #[inline]
    fn skip(&mut self, length: usize) {
        self.rest = std::mem::take(&mut self.rest).get_mut(length..).unwrap_or_default();
    }
}

/// A piece whose text is shorter than its room.
pub(super) type Piece<const MOST: usize> = ([u8; MOST], usize);

/// Makes a piece of a text, which is not longer than its room.
pub(super) fn piece<const MOST: usize>(text: &str) -> Piece<MOST> {
    let mut room = [0; MOST];
    room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
    (room, text.len())
}

#[cfg(test)]
mod tests {
    use super::{Room, piece};

    #[test]
    fn what_is_too_much_of_a_piece_is_overwritten_or_cut_off() {
        let mut text = b"[".to_vec();
        Room::fill(&mut text, 40, |room| {
            let (one, length) = piece::<16>("one,");
            room.put(&one, length);
            room.put_slice(b"two,");
            room.put(b"three, four", 5);
        });
        assert_eq!(text, b"[one,two,three");
    }
}
