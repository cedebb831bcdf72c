//! The smallest valid picture and sound, as the protocol carries them: base64.

/// One red pixel.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
pub const PNG_TYPE: &str = "image/png";

/// Two silent samples, 8 kHz, one channel.
pub const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";
pub const WAV_TYPE: &str = "audio/wav";
