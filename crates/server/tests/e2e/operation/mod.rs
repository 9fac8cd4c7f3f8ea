//! What an operator does and meets: commands, settings, start, stop, import, export.
