//! Who may ask what: decided from the head of a request, before its body is read or a path is
//! looked up.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use axum::http::header::{CONTENT_TYPE, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode, request::Parts};

use crate::{PageError, secret};

/// The rules, and the secrets of this run.
#[derive(Debug)]
pub struct Guard {
    /// What `Host` may be.
    hosts: Vec<String>,
    /// What `Origin` may be.
    origins: Vec<String>,
    /// Everything is below `/{session}/`. Cookies know no ports: this path keeps ours from other
    /// servers on the same host.
    session: String,
    /// What the cookie says.
    cookie: String,
    /// Exchanged once for the cookie.
    token: Mutex<Option<String>>,
    /// What was printed.
    address: String,
    is_secure: bool,
}

/// A request that may be answered.
#[derive(Debug, PartialEq, Eq)]
pub enum Admitted {
    /// One with the token: gets the cookie, and nothing else.
    Exchange {
        /// `Set-Cookie`.
        cookie: String,
    },
    /// One with the cookie, for this path below the session.
    Path(String),
}

/// Why a request is refused. The words name nothing that came with it.
pub type Refusal = (StatusCode, &'static str);

const NO_COOKIE: &str = "This page is for one browser. Open the address that `lastbit serve` \
    printed, or start it anew.";

impl Guard {
    /// For this address, or for the host of a proxy.
    pub fn new(listens: SocketAddr, behind_proxy: Option<&str>) -> Result<Guard, PageError> {
        let port = listens.port();
        let (hosts, scheme): (Vec<String>, &str) = match behind_proxy {
            Some(host) => {
                let named = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
                if host.is_empty() || host.len() > 255 || !host.chars().all(named) {
                    return Err(PageError::Host(host.to_owned()));
                }
                (vec![host.to_ascii_lowercase()], "https")
            }
            None => {
                let mut hosts = vec![listens.to_string(), format!("localhost:{port}")];
                if port == 80 {
                    let host = match listens.ip() {
                        IpAddr::V4(ip) => ip.to_string(),
                        IpAddr::V6(ip) => format!("[{ip}]"),
                    };
                    hosts.extend([host, "localhost".to_owned()]);
                }
                (hosts, "http")
            }
        };
        let session = secret::new()?;
        let token = secret::new()?;
        Ok(Guard {
            address: format!("{scheme}://{}/{session}/?token={token}", hosts[0]),
            origins: hosts
                .iter()
                .map(|host| format!("{scheme}://{host}"))
                .collect(),
            hosts,
            session,
            cookie: secret::new()?,
            token: Mutex::new(Some(token)),
            is_secure: behind_proxy.is_some(),
        })
    }

    /// The address with its token.
    pub fn address(&self) -> String {
        self.address.clone()
    }

    /// Where everything is: `/…`, without a slash at its end.
    pub fn base(&self) -> String {
        format!("/{}", self.session)
    }

    /// Decides.
    pub fn admit(&self, parts: &Parts) -> Result<Admitted, Refusal> {
        self.check_host(parts)?;
        if parts.method != Method::GET && parts.method != Method::POST {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "Only GET and POST are."));
        }
        let path = parts.uri.path();
        let below = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(self.session.as_str()))
            .filter(|below| below.starts_with('/'))
            .ok_or((StatusCode::NOT_FOUND, NO_COOKIE))?;
        if parts.method == Method::GET
            && below == "/"
            && let Some(token) = parts.uri.query().and_then(|q| q.strip_prefix("token="))
        {
            // The printed address, opened again in the same browser, goes on as it is.
            if !self.has_cookie(&parts.headers) {
                return self.exchange(token);
            }
        }
        self.check_origin(parts)?;
        if !self.has_cookie(&parts.headers) {
            return Err((StatusCode::UNAUTHORIZED, NO_COOKIE));
        }
        Ok(Admitted::Path(below.to_owned()))
    }

    /// A name that leads here by somebody else's doing is refused, so that no foreign page becomes
    /// one of this origin.
    fn check_host(&self, parts: &Parts) -> Result<(), Refusal> {
        let refused = (
            StatusCode::MISDIRECTED_REQUEST,
            "This server does not answer to that name.",
        );
        let known = |name: &str| {
            self.hosts
                .iter()
                .any(|host| host.eq_ignore_ascii_case(name))
        };
        let mut given = parts.headers.get_all(HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else {
            return Err(refused);
        };
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        match host.to_str() {
            Ok(host) if known(host) && authority.is_none_or(known) => Ok(()),
            _ => Err(refused),
        }
    }

    /// What another site asks for in the user's name is refused: every POST says that it comes from
    /// this origin, and is JSON, which no form can send; whatever says that it comes from elsewhere
    /// does.
    fn check_origin(&self, parts: &Parts) -> Result<(), Refusal> {
        let elsewhere = (StatusCode::FORBIDDEN, "Another site asked for this.");
        let headers = &parts.headers;
        let is_post = parts.method == Method::POST;
        let origins: Vec<_> = headers.get_all(ORIGIN).iter().collect();
        match origins.as_slice() {
            [] if !is_post => {}
            [origin]
                if origin
                    .to_str()
                    .is_ok_and(|origin| self.origins.iter().any(|own| own == origin)) => {}
            _ => return Err(elsewhere),
        }
        let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
        let from_here = match site {
            None | Some(b"same-origin") => true,
            // Typed, or from a bookmark.
            Some(b"none") => !is_post,
            Some(_) => false,
        };
        if !from_here {
            return Err(elsewhere);
        }
        let json = headers
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes() == b"application/json");
        if is_post && !json {
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only JSON is taken."));
        }
        Ok(())
    }

    fn exchange(&self, token: &str) -> Result<Admitted, Refusal> {
        let mut own = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        match own.as_deref() {
            Some(known) if secret::same(known, token) => {
                *own = None;
                let secure = if self.is_secure { "; Secure" } else { "" };
                let cookie = format!(
                    "lastbit={}; Path=/{}/; HttpOnly; SameSite=Strict{secure}",
                    self.cookie, self.session
                );
                Ok(Admitted::Exchange { cookie })
            }
            _ => Err((
                StatusCode::UNAUTHORIZED,
                "This address was used already. Start `lastbit serve` anew for another browser.",
            )),
        }
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().strip_prefix("lastbit="))
            .any(|value| secret::same(value, &self.cookie))
    }
}
