//! Fetches the keys of the tokens' issuer, whom the operator named.

use std::sync::Arc;

use probity_research::{Code, Problem};
use probity_server::{desk::Answered, oauth::Fetch};
use probity_web::fetch::{ApiRequest, Fetcher, FetcherSettings, Reach};

use crate::{planning, settings::web::own_host};

pub struct IssuerFetch {
    fetcher: Arc<Fetcher>,
}

impl IssuerFetch {
    /// Whoever names their own issuer wants it reached, wherever it is.
    pub fn new(issuer: &str) -> Result<Self, Problem> {
        let reach = Reach::parse(own_host(issuer))?;
        let settings = FetcherSettings { reach, ..FetcherSettings::new(planning::now) };
        Ok(Self { fetcher: Arc::new(Fetcher::new(settings)?) })
    }
}

impl Fetch for IssuerFetch {
    fn fetch<'a>(&'a self, url: &'a str, bytes_max: usize) -> Answered<'a, Vec<u8>> {
        Box::pin(async move {
            let mut request = ApiRequest::get(url);
            request.answer_bytes_max = bytes_max as u64;
            let answer = self.fetcher.call(request).await?;
            match answer.status {
                200 => Ok(answer.body.to_vec()),
                status => {
                    let message = format!("the issuer of tokens answered {status}");
                    Err(Problem::new(Code::ProviderUnavailable, &message))
                }
            }
        })
    }
}
