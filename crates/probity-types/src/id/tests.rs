use proptest::prelude::*;

use super::{Digest, RunId};

#[test]
fn every_spelling_names_the_same_research() {
    let id = RunId::from_random(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    let spellings = [
        "res_0123456789abcdef0123456789abcdef",
        "0123456789ABCDEF0123456789abcdef",
        "01234567-89ab-cdef-0123-456789abcdef",
        " res_0123456789abcdef0123456789abcdef\n",
    ];
    for spelling in spellings {
        assert_eq!(spelling.parse(), Ok(id), "{spelling}");
    }
}

#[test]
fn anything_else_is_refused() {
    for text in ["", "res_", "res_0", "../../etc/passwd", "res_+123456789abcdef0123456789abcdef", "res_é"] {
        assert!(text.parse::<RunId>().is_err(), "{text}");
    }
}

#[test]
fn spread_stays_within_bounds_and_differs_by_salt() {
    let id = RunId::from_random(7);
    let values: Vec<f64> = (0..1000).map(|salt| id.spread(salt)).collect();
    assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
    let mean = values.iter().sum::<f64>() / 1000.0;
    assert!((0.45..0.55).contains(&mean), "{mean}");
}

proptest! {
    #[test]
    fn ids_survive_their_text(bits: u128, bytes: [u8; 32]) {
        let id = RunId::from_random(bits);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        let digest = Digest(bytes);
        prop_assert_eq!(digest.to_string().parse(), Ok(digest));
    }
}
