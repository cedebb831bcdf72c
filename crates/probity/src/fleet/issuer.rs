//! Fetches the signing keys of the token issuer that the operator named.

use std::sync::Arc;

use probity_research::{Code, CodedError};
use probity_server::{backend::BackendFuture, oauth::IssuerClient};
use probity_web::fetch::{ApiRequest, Fetcher, FetcherSettings, ReachRules};

use crate::{planning, settings::web::own_host};

pub struct IssuerKeyFetcher {
    fetcher: Arc<Fetcher>,
}

impl IssuerKeyFetcher {
    /// An issuer that the operator named may be on any network, internal ones too.
    pub fn new(issuer: &str) -> Result<Self, CodedError> {
        let reach = ReachRules::parse(own_host(issuer))?;
        let settings = FetcherSettings { reach, ..FetcherSettings::new(planning::now) };
        Ok(Self { fetcher: Arc::new(Fetcher::new(settings)?) })
    }
}

impl IssuerClient for IssuerKeyFetcher {
    fn fetch<'a>(&'a self, url: &'a str, bytes_max: usize) -> BackendFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let mut request = ApiRequest::get(url);
            request.answer_bytes_max = bytes_max as u64;
            let answer = self.fetcher.call(request).await?;
            match answer.status {
                200 => Ok(answer.body.to_vec()),
                status => {
                    let message = format!("the issuer of tokens answered {status}");
                    Err(CodedError::new(Code::ProviderUnavailable, &message))
                }
            }
        })
    }
}
