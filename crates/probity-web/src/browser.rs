//! Pages that scripts build, as Chromium shows them.
