//! The guarded fetcher: public addresses only, whatever the spelling, the DNS answer or the redirect.
