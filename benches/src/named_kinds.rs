//! Kinds with a name each: the enum, the list of all and the words for people, from one table.

/// `enum Kind { First = "in words", … }` with `ALL` in that order and `words()`; without words, `ALL` alone.
macro_rules! named_kinds {
    ($(#[$about:meta])* $visible:vis enum $name:ident { $($(#[$note:meta])* $kind:ident = $words:expr,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $visible enum $name { $($(#[$note])* $kind,)+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            pub fn words(self) -> &'static str {
                match self { $(Self::$kind => $words,)+ }
            }
        }
    };
    ($(#[$about:meta])* $visible:vis enum $name:ident { $($(#[$note:meta])* $kind:ident,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $visible enum $name { $($(#[$note])* $kind,)+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$kind),+];
        }
    };
}
pub(crate) use named_kinds;
