//! Names and numbers that nobody has written about: made from syllables, the same for the same seed.

/// How a language is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    Latin,
    Chinese,
    Japanese,
    Arabic,
}

const LATIN: (&[&str], &[&str]) = (
    &[
        "Vel", "Tor", "Bra", "Kes", "Lum", "Sar", "Dro", "Fen", "Gal", "Hes", "Mor", "Pel", "Ral", "Sil",
        "Zol",
    ],
    &["mard", "vika", "dena", "holt", "sira", "gast", "lund", "tova", "nesk", "brun", "rith"],
);
const CHINESE: (&[&str], &[&str]) = (
    &["维洛", "塔诺", "兰森", "卡迪", "莫贝", "瑞索", "奥里", "佩斯", "丹图", "希格"],
    &["塔", "恩", "克", "姆", "尔", "斯"],
);
const JAPANESE: (&[&str], &[&str]) = (
    &["ベル", "ロナ", "タリ", "モス", "カデ", "シル", "ノラ", "グエ", "ハル", "ミト"],
    &["マード", "ヴィカ", "デーナ", "ホルト", "シーラ", "ガスト"],
);
const ARABIC: (&[&str], &[&str]) = (
    &["فل", "نو", "سار", "دال", "كير", "مور", "تان", "ليم", "رود", "هاس"],
    &["مارد", "فيكا", "دينا", "هولت", "سيرا", "غاست"],
);

/// Numbers that follow from a seed. Good enough to vary questions, never for secrets.
#[derive(Debug, Clone)]
pub struct SeededNumbers(u64);

impl SeededNumbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next one of the sequence (SplitMix64).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    pub fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let place = self.below(list.len());
        list.get(place).copied().unwrap_or_default()
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for place in (1..list.len()).rev() {
            let other = self.below(place + 1);
            list.swap(place, other);
        }
    }
}

/// Two places and two people, all different.
pub fn names(script: Script, numbers: &mut SeededNumbers) -> [String; 4] {
    let (begins, ends) = match script {
        Script::Latin => LATIN,
        Script::Chinese => CHINESE,
        Script::Japanese => JAPANESE,
        Script::Arabic => ARABIC,
    };
    let mut first: Vec<&str> = begins.to_vec();
    let mut last: Vec<&str> = ends.to_vec();
    numbers.shuffle(&mut first);
    numbers.shuffle(&mut last);
    // Each syllable once, so that no name is a part of another.
    let word = |place: usize| {
        let parts = (first.get(place).copied(), last.get(place).copied());
        format!("{}{}", parts.0.unwrap_or_default(), parts.1.unwrap_or_default())
    };
    [word(0), word(1), word(2), word(3)]
}

/// Five numbers of two or three digits and three years, all different.
pub fn figures(numbers: &mut SeededNumbers) -> ([usize; 5], [usize; 3]) {
    // Each from a range of its own: they differ whatever the seed.
    let mut amounts = [24, 204, 384, 564, 744].map(|from| from + numbers.below(180));
    numbers.shuffle(&mut amounts);
    let first = 1871 + numbers.below(60);
    let second = first + 3 + numbers.below(30);
    (amounts, [first, second, second + 2 + numbers.below(20)])
}
