//! Search providers, one file each, behind one door.
