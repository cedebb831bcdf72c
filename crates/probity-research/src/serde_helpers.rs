//! What serialization of the rules' values shares.

/// Left out of the serialized form: most of the time it is zero.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub fn is_zero(number: &u32) -> bool {
    *number == 0
}
