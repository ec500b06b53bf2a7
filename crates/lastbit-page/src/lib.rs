//! The steward's page: the plans of a directory and their ledger, in a browser.
//!
//! A [`Page`] is a small server on loopback. It prices, rehearses and releases with
//! `lastbit-release`, through the same ledger as the command; it has no numbers of its own. What it
//! may do and for whom is in `docs/serve.md`, and why in `SECURITY.md`.
#![forbid(unsafe_code)]

mod answer;
mod browser;
mod connections;
mod directory;
mod guard;
mod handlers;
mod html;
mod jobs;
mod ledger;
mod line_ends;
mod plan;
mod secret;
mod server;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

pub use browser::open;

use directory::Directory;
use guard::Guard;
use server::Shared;

/// What a page is of, and who may reach it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory of plans, tables and their ledger.
    pub directory: PathBuf,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The name under which a proxy with TLS serves the page.
    pub behind_proxy: Option<String>,
    /// What one request may take.
    pub limits: PageLimits,
}

/// What one request may take.
#[derive(Clone, Copy, Debug)]
pub struct PageLimits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// The longest time until the head of a request is there.
    pub head_time: Duration,
    /// The longest time until a request is answered.
    pub request_time: Duration,
    /// The longest time until a connection takes more of an answer.
    pub write_time: Duration,
    /// The most connections at a time of those who have the cookie.
    pub connections: usize,
    /// The most connections at a time that have not shown the cookie yet. One more closes the
    /// oldest.
    pub strangers: usize,
}

impl Default for PageLimits {
    fn default() -> PageLimits {
        PageLimits {
            body_bytes: 1 << 20,
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(60),
            write_time: Duration::from_secs(20),
            connections: 64,
            strangers: 16,
        }
    }
}

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// An address that others could reach, without anything that keeps them out.
    #[error(
        "{0} can be reached from other machines, and the page itself speaks no TLS; listen on \
         loopback, or put a proxy with TLS before it and name its host with --behind-proxy"
    )]
    NotLoopback(SocketAddr),
    /// A host name that is none.
    #[error(
        "\"{}\" is no host name; give the name that browsers will ask for, such as \
         stats.example.org",
        lastbit_release::clean::shown(.0)
    )]
    Host(String),
    /// A directory that cannot be served.
    #[error("{0}")]
    Directory(String),
    /// No randomness for secrets.
    #[error(transparent)]
    Entropy(#[from] lastbit_noise::entropy::EntropyError),
    /// The network, or the runtime.
    #[error("the page cannot be served: {0}")]
    System(#[from] std::io::Error),
}

/// A page that listens, and is not yet served.
#[derive(Debug)]
pub struct Page {
    listener: TcpListener,
    shared: Shared,
}

impl Page {
    /// Binds the address and makes new secrets.
    pub fn bind(settings: Settings) -> Result<Page, PageError> {
        let directory = Directory::new(&settings.directory)?;
        if !settings.listen.ip().is_loopback() && settings.behind_proxy.is_none() {
            return Err(PageError::NotLoopback(settings.listen));
        }
        let listener = TcpListener::bind(settings.listen)?;
        let guard = Guard::new(listener.local_addr()?, settings.behind_proxy.as_deref())?;
        Ok(Page {
            listener,
            shared: Shared::new(directory, guard, settings.limits),
        })
    }

    /// The address to open, with a token that is good for one browser.
    pub fn address(&self) -> String {
        self.shared.guard().address()
    }

    /// Serves until the process ends.
    pub fn serve(self) -> Result<(), PageError> {
        server::serve(self.listener, self.shared)
    }
}
