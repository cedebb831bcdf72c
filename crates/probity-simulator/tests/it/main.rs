//! The simulator from outside: every scenario, the wire shapes, the load it must bear, the real SDKs.

#[cfg(test)]
mod canonical;
#[cfg(test)]
mod chat_sdk;
#[cfg(test)]
mod driver;
#[cfg(test)]
mod gemini_cli;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod http;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod many;
#[cfg(test)]
mod messages_sdk;
#[cfg(test)]
mod program;
#[cfg(test)]
mod rounds;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod sdk;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod types;
