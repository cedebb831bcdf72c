//! Makes every attack of the list, first on the guarded fetcher, then with a plain client as the control.
#![expect(clippy::disallowed_methods, reason = "the control is a plain client")]

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use probity_research::{
    error::{Code, CodedError},
    time::Moment,
};
use probity_web::fetch::{ApiRequest, FetchLimits, Fetcher, FetcherSettings, ReachRules, WebhookPost};

use super::{
    SsrfOutcome,
    attack_list::AttackList,
    catch_all_network::{CatchAllNetwork, REACHED},
};

/// The public site, whose pages redirect.
const SITE: &str = "http://public.example";
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

pub(super) fn run() -> anyhow::Result<SsrfOutcome> {
    let list = AttackList::load()?;
    // What a header line can carry; the rest cannot be said by a server.
    let sayable = |text: &&String| !text.contains(['\r', '\n', '\0']);
    let locations: Vec<String> =
        list.locations.iter().chain(list.urls.iter().filter(sayable)).cloned().collect();
    let cage = CatchAllNetwork::close(&list, locations.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut raid = SsrfAttackRun { fetcher: fetcher(&cage)?, cage, outcome: SsrfOutcome::default() };
        raid.controls().await;
        raid.addresses(&list).await;
        raid.names(&list).await;
        raid.redirects(&list, locations.len()).await;
        raid.rebinds(&list).await;
        raid.controls().await;
        raid.plain(&list, locations.len()).await?;
        Ok(raid.outcome)
    })
}

fn fetcher(cage: &CatchAllNetwork) -> anyhow::Result<Fetcher> {
    let mut settings = FetcherSettings::new(|| Moment(1_790_000_000_000));
    settings.lookup = cage.lookup();
    settings.reach =
        ReachRules::parse([format!("wiki.corp:8081={REACHED}"), format!("hook.corp:80={REACHED}")])
            .map_err(anyhow::Error::new)?;
    settings.limits = FetchLimits {
        pause: Duration::ZERO,
        connect: Duration::from_secs(2),
        first_byte: Duration::from_secs(2),
        total: Duration::from_secs(5),
        ..FetchLimits::default()
    };
    Fetcher::new(settings).context("building the fetcher")
}

struct SsrfAttackRun {
    fetcher: Fetcher,
    cage: CatchAllNetwork,
    outcome: SsrfOutcome,
}

impl SsrfAttackRun {
    /// One attack: refused by name, and nobody was connected to.
    fn judge(&mut self, what: &str, result: Result<(), CodedError>) {
        self.outcome.attacks += 1;
        match result {
            Err(problem) if problem.code == Code::AddressRefused => {}
            Err(problem) => self.outcome.not_refused.push(format!("{what}: {}: {problem}", problem.code)),
            Ok(()) => self.outcome.not_refused.push(format!("{what}: fetched")),
        }
        self.count(what);
    }

    fn count(&mut self, what: &str) {
        let known = self.outcome.hits.len();
        let new: Vec<SocketAddr> = self.cage.hits().into_iter().skip(known).collect();
        self.outcome.hits.extend(new.iter().map(|address| format!("{what} hit {address}")));
    }

    async fn page(&self, url: &str) -> Result<(), CodedError> {
        Box::pin(self.fetcher.page(url)).await.map(drop)
    }

    async fn call(&self, url: &str) -> Result<(), CodedError> {
        Box::pin(self.fetcher.call(ApiRequest::get(url))).await.map(drop).map_err(CodedError::from)
    }

    async fn deliver(&self, url: &str) -> Result<(), CodedError> {
        let delivery = WebhookPost {
            url: url.to_owned(),
            headers: Vec::new(),
            content_type: "application/json".to_owned(),
            body: "{}".into(),
        };
        Box::pin(self.fetcher.deliver(delivery)).await.map(drop).map_err(CodedError::from)
    }

    async fn addresses(&mut self, list: &AttackList) {
        for url in &list.urls {
            let result = self.page(url).await;
            self.judge(&format!("page {url:?}"), result);
            let result = self.call(url).await;
            self.judge(&format!("call {url:?}"), result);
            let secure = url.replacen("http:", "https:", 1);
            let result = self.deliver(&secure).await;
            self.judge(&format!("webhook {secure:?}"), result);
        }
    }

    async fn names(&mut self, list: &AttackList) {
        for name in &list.names {
            let url = format!("http://{}/", name.name);
            let result = self.page(&url).await;
            self.judge(&format!("page of {}", name.name), result);
            let result = self.call(&url).await;
            self.judge(&format!("call of {}", name.name), result);
            let result = self.deliver(&format!("https://{}/", name.name)).await;
            self.judge(&format!("webhook to {}", name.name), result);
        }
    }

    /// Behind redirects of every kind, also those of a robots.txt.
    async fn redirects(&mut self, list: &AttackList, locations: usize) {
        for number in 0..locations {
            let every = if number < list.locations.len() { &STATUSES[..] } else { &[302][..] };
            for status in every {
                let result = self.page(&format!("{SITE}/go/{status}/{number}")).await;
                self.judge_location(&format!("redirect {status} to {number}"), result);
            }
            let result = self.page(&format!("http://robots-{number}.public.example/page")).await;
            self.judge_location(&format!("robots.txt redirects to {number}"), result);
        }
        let refresh = self.page(&format!("{SITE}/refresh")).await;
        self.outcome.attacks += 1;
        if let Err(problem) = refresh {
            self.outcome.controls_failed.push(format!("refresh: {problem}"));
        }
        self.count("refresh");
    }

    /// A relative reading of a location may stay on the public site, which is no harm: then only hits count.
    fn judge_location(&mut self, what: &str, result: Result<(), CodedError>) {
        match result {
            Ok(()) => {
                self.outcome.attacks += 1;
                self.count(what);
            }
            refused => self.judge(what, refused),
        }
    }

    /// Harmless when checked, harmful when connected; harmless at the first hop, harmful at the next.
    async fn rebinds(&mut self, list: &AttackList) {
        for name in &list.rebinds {
            self.cage.forget();
            let checked = self.fetcher.guard().resolve(&name.name, 80).await;
            if let Err(problem) = checked {
                self.outcome.controls_failed.push(format!("{} was harmless at first: {problem}", name.name));
            }
            let result = self.page(&format!("http://{}/page", name.name)).await;
            self.judge(&format!("{} after a check", name.name), result);
            self.cage.forget();
            let result = self.call(&format!("http://{}/page", name.name)).await;
            if let Err(problem) = result {
                self.outcome.controls_failed.push(format!("{} at first: {problem}", name.name));
            }
            let result = self.call(&format!("http://{}/page", name.name)).await;
            self.judge(&format!("{} at the second call", name.name), result);
        }
        for name in list.rebinds.iter().chain(&list.hops) {
            // robots.txt takes the first answer, the page the next, its redirect the one after.
            self.cage.forget();
            let Ok(fresh) = fetcher(&self.cage) else { continue };
            let result = Box::pin(fresh.page(&format!("http://{}/self", name.name))).await.map(drop);
            self.judge(&format!("{} between hops", name.name), result);
        }
    }

    /// Ordinary fetches, so that "refused" does not come from refusing everything.
    async fn controls(&mut self) {
        for url in [
            "http://public.example/page",
            "http://www.public.example/home",
            "http://93.184.215.14/page",
            "http://1572394766/page",
            "http://[2606:4700::1]/page",
            "http://wiki.corp:8081/page",
        ] {
            let result = self.page(url).await;
            self.control(url, result);
        }
        let result = self.call("http://public.example/api").await;
        self.control("call", result);
        let result = self.deliver("http://hook.corp/in").await;
        self.control("webhook", result);
    }

    fn control(&mut self, what: &str, result: Result<(), CodedError>) {
        self.outcome.controls += 1;
        if let Err(problem) = result {
            self.outcome.controls_failed.push(format!("{what}: {}: {problem}", problem.code));
        }
        self.count(what);
    }

    /// The same attacks with a client that guards nothing.
    async fn plain(&mut self, list: &AttackList, locations: usize) -> anyhow::Result<()> {
        let resolver = Arc::new(PlainResolver(self.cage.clone()));
        let builder = || reqwest::Client::builder().timeout(Duration::from_secs(2));
        let client = builder().no_proxy().dns_resolver(resolver).build()?;
        let direct = list.urls.iter().cloned();
        let names = list.names.iter().map(|name| format!("http://{}/", name.name));
        let behind = (0..locations).map(|number| format!("{SITE}/go/302/{number}"));
        for url in direct.chain(names).chain(behind) {
            let known = self.cage.hits().len();
            // Whether it answers does not matter, only whom it reached.
            client.get(&url).send().await.ok();
            self.outcome.plain_attacks += 1;
            self.outcome.plain_hits += usize::from(self.cage.hits().len() > known);
        }
        let known = self.cage.hits().len();
        builder().build()?.get("http://public.example/page").send().await.ok();
        self.outcome.plain_follows_proxy = self.cage.hits().iter().skip(known).any(|hit| hit.port() == 3128);
        Ok(())
    }
}

struct PlainResolver(CatchAllNetwork);

impl reqwest::dns::Resolve for PlainResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let answer = self.0.resolve(name.as_str());
        Box::pin(async move {
            let addresses = answer?.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}
