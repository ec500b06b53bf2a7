//! Connections, limits, and the way from a request to its answer. Nothing is written down about any
//! of them.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONNECTION, HeaderValue, SET_COOKIE};
use axum::http::{Request, StatusCode, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service as _;

use crate::answer::{self, Answer};
use crate::connections::{Connection, Connections, Patient};
use crate::directory::Directory;
use crate::guard::{Admitted, Guard};
use crate::jobs::Jobs;
use crate::ledger::Left;
use crate::{PageError, PageLimits, handlers, html};

/// How many pieces of work are done at a time.
const WORKERS: usize = 4;

/// What all requests share.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: Directory,
    guard: Guard,
    limits: PageLimits,
    jobs: Jobs,
    left: Left,
    work: Arc<Semaphore>,
    /// Taken by the inspection under way: it reads all rows, which may take long.
    inspection: Arc<Semaphore>,
}

impl Shared {
    pub fn new(directory: Directory, guard: Guard, limits: PageLimits) -> Shared {
        Shared(Arc::new(Inner {
            directory,
            guard,
            limits,
            jobs: Jobs::default(),
            left: Left::default(),
            work: Arc::new(Semaphore::new(WORKERS)),
            inspection: Arc::new(Semaphore::new(1)),
        }))
    }

    pub fn directory(&self) -> &Directory {
        &self.0.directory
    }

    pub fn guard(&self) -> &Guard {
        &self.0.guard
    }

    pub fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    pub fn left(&self) -> &Left {
        &self.0.left
    }

    /// Computes something away from the connections. It goes on to its end even if nobody waits for
    /// it.
    pub async fn work(&self, work: impl FnOnce(&Shared) -> Answer + Send + 'static) -> Answer {
        match self.0.work.clone().acquire_owned().await {
            Ok(permit) => self.blocking(permit, work).await,
            Err(_) => failed(),
        }
    }

    /// The same for an inspection, which takes no place from others; `None` while another one is
    /// under way.
    pub async fn inspect(
        &self,
        work: impl FnOnce(&Shared) -> Answer + Send + 'static,
    ) -> Option<Answer> {
        let permit = self.0.inspection.clone().try_acquire_owned().ok()?;
        Some(self.blocking(permit, work).await)
    }

    async fn blocking(
        &self,
        permit: OwnedSemaphorePermit,
        work: impl FnOnce(&Shared) -> Answer + Send + 'static,
    ) -> Answer {
        let shared = self.clone();
        tokio::task::spawn_blocking(move || {
            let answer = work(&shared);
            drop(permit);
            answer
        })
        .await
        .unwrap_or_else(|_| failed())
    }
}

fn failed() -> Answer {
    answer::refused(
        StatusCode::INTERNAL_SERVER_ERROR,
        "this is a fault of lastbit; nothing else is known of it",
    )
}

/// Serves until the process ends.
pub fn serve(listener: TcpListener, shared: Shared) -> Result<(), PageError> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(accept(listener, shared))
}

async fn accept(listener: TcpListener, shared: Shared) -> Result<(), PageError> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let limits = shared.0.limits;
    let connections = Connections::new(limits.connections, limits.strangers);
    let router = handlers::router(shared.clone());
    for number in 0.. {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // One that was given up, or too many open files: others may do better a little later.
            Err(_) => {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                continue;
            }
        };
        // Small answers should not wait for each other.
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, limits.write_time);
        let (shared, router) = (shared.clone(), router.clone());
        let connection = connections.connection(number);
        let task = tokio::spawn(async move {
            let service = service_fn(move |request| {
                let (shared, router) = (shared.clone(), router.clone());
                let connection = connection.clone();
                async move {
                    let answer = answered(request, &shared, router, &connection).await;
                    Ok::<_, Infallible>(answer)
                }
            });
            // A connection that breaks is of no interest to anybody here.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.head_time)
                .max_buf_size(1 << 16)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
        // One thread serves all: the task has not begun yet.
        connections.admit(number, task.abort_handle());
    }
    Ok(())
}

/// A refusal after which the connection is closed: who may not ask has no use of it.
fn closed(status: StatusCode, message: &'static str) -> Answer {
    let mut answer = answer::plain(status, message);
    let headers = answer.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

async fn answered(
    request: Request<Incoming>,
    shared: &Shared,
    router: Router,
    connection: &Connection,
) -> Answer {
    let (mut parts, body) = request.into_parts();
    let path = match shared.guard().admit(&parts) {
        Err((status, message)) => return closed(status, message),
        Ok(Admitted::Exchange { cookie }) => {
            let mut answer = answer::html(html::welcome(&shared.guard().base()));
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                answer.headers_mut().insert(SET_COOKIE, cookie);
            }
            return answer;
        }
        Ok(Admitted::Path(path)) => path,
    };
    if !connection.is_known() {
        return closed(
            StatusCode::SERVICE_UNAVAILABLE,
            "There are too many connections; close some tabs.",
        );
    }
    let with_query = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let Ok(uri) = with_query.parse::<Uri>() else {
        return answer::plain(StatusCode::BAD_REQUEST, "This is no path.");
    };
    parts.uri = uri;
    let limits = shared.0.limits;
    let whole = async {
        let Ok(bytes) = to_bytes(Body::new(body), limits.body_bytes).await else {
            return answer::refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                "this is more than the page takes at once",
            );
        };
        let mut router = router;
        let request = Request::from_parts(parts, Body::from(bytes));
        match router.call(request).await {
            // What is not of this page, such as a path that does not parse, is not answered in
            // other words and without its headers.
            Ok(foreign) if !answer::is_own(&foreign) => {
                answer::plain(StatusCode::BAD_REQUEST, "This is no path.")
            }
            Ok(answer) => answer,
            Err(never) => match never {},
        }
    };
    match tokio::time::timeout(limits.request_time, whole).await {
        Ok(answer) => answer,
        Err(_) => answer::refused(
            StatusCode::SERVICE_UNAVAILABLE,
            "this took longer than the page waits; use the command line",
        ),
    }
}

#[cfg(test)]
mod tests;
