//! What holds for folders and archives of any format.
