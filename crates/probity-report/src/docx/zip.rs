//! A zip archive of a few deflated files. No dates, no permissions: the same files give the same bytes.

use std::io::{self, Write};

use flate2::{Compression, Crc, write::DeflateEncoder};

/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x21;
const VERSION: u16 = 20;
const DEFLATED: u16 = 8;

#[derive(Default)]
pub struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl ZipWriter {
    /// The name is ours: ASCII, without `..`.
    pub fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content)?;
        let packed = encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(content);
        let offset = length(self.bytes.len())?;
        let mut common = Vec::new();
        for half in [VERSION, 0, DEFLATED, 0, DATE] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc.sum(), length(packed.len())?, length(content.len())?] {
            common.extend(word.to_le_bytes());
        }
        let name_length = u16::try_from(name.len()).map_err(|_| too_large())?;
        common.extend(name_length.to_le_bytes());
        common.extend(0_u16.to_le_bytes());

        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(packed);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&common);
        // Comment, disk, internal and external attributes: none.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let offset = length(self.bytes.len())?;
        let size = length(self.directory.len())?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend([0; 2]);
        Ok(self.bytes)
    }
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::from(io::ErrorKind::FileTooLarge)
}
