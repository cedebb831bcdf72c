//! The least HTTP that speaks to the engine: one kept connection, a POST, its status and its body.

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use crate::BoxError;

pub struct HttpConnection {
    host: String,
    stream: BufReader<TcpStream>,
}

impl HttpConnection {
    /// `base` is `http://host:port`.
    pub async fn open(base: &str) -> Result<Self, BoxError> {
        let host = base.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let stream = TcpStream::connect(&host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { host, stream: BufReader::new(stream) })
    }

    pub async fn post(&mut self, path: &str, headers: &str, body: &str) -> Result<(u16, String), BoxError> {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        self.answer().await
    }

    async fn answer(&mut self) -> Result<(u16, String), BoxError> {
        let first = self.line().await?;
        let status = first.split_whitespace().nth(1).and_then(|word| word.parse().ok()).ok_or("no status")?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse()?;
            }
            chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let body = if chunked { self.chunks().await? } else { self.exactly(length).await? };
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, BoxError> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(self.line().await?.trim(), 16)?;
            body.extend(self.exactly(length).await?);
            self.line().await?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, BoxError> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).await?;
        Ok(bytes)
    }

    async fn line(&mut self) -> Result<String, BoxError> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the connection was closed".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}
