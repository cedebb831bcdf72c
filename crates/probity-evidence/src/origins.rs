//! Which pages speak for themselves: copies, derivatives and pages of one owner are one origin.
