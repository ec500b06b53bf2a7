//! `lastbit serve`: the steward's page.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::streams::Stdout;

const TEACH: &str = "\
Serves a page for a directory of plans, tables and their ledger: write a plan as a form or as \
text, see its price while you drag, rehearse it, release it through the ledger, and read the \
ledger. It prints an address with a token that is good for one browser, and opens it if there is \
a browser. Only programs on this machine reach it; for others, put a proxy with TLS before it and \
name its host with --behind-proxy. Ctrl-C ends it at any moment, and the ledger stays right, as it \
does when a release is killed.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Serve {
    /// The directory; nothing outside of it is read or written
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// The host name of a proxy with TLS before this server, for addresses beyond loopback
    #[arg(long, value_name = "HOST")]
    behind_proxy: Option<String>,

    /// Open no browser
    #[arg(long)]
    no_open: bool,
}

impl Serve {
    #[cfg(feature = "page")]
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        use std::io::Write as _;

        use lastbit_page::{Page, PageError, PageLimits, Settings};

        let page = Page::bind(Settings {
            directory: self.directory,
            listen: self.listen,
            behind_proxy: self.behind_proxy,
            limits: PageLimits::default(),
        });
        let page = page.map_err(|error| match error {
            PageError::NotLoopback(_) | PageError::Host(_) => {
                anyhow::Error::new(crate::Usage(error.to_string()))
            }
            error => error.into(),
        })?;
        let address = page.address();
        writeln!(out, "{address}")?;
        writeln!(
            out,
            "The page is at this address, for one browser. Ctrl-C ends it."
        )?;
        out.flush()?;
        if !self.no_open {
            // Without a browser the address is enough.
            lastbit_page::open(&address);
        }
        Ok(page.serve()?)
    }

    #[cfg(not(feature = "page"))]
    pub fn run(self, _: &mut Stdout) -> Result<()> {
        let Serve {
            directory: _,
            listen: _,
            behind_proxy: _,
            no_open: _,
        } = self;
        anyhow::bail!("this lastbit was built without the page; build it with the feature `page`")
    }
}
