//! Who is connected: those who showed the cookie, and strangers, who cannot keep them out.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

/// All connections.
#[derive(Debug)]
pub struct Connections {
    known: Arc<Semaphore>,
    most_strangers: usize,
    strangers: Mutex<VecDeque<(u64, AbortHandle)>>,
}

/// One of them.
#[derive(Debug)]
pub struct Connection {
    number: u64,
    all: Arc<Connections>,
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Connections {
    pub fn new(known: usize, strangers: usize) -> Arc<Connections> {
        Arc::new(Connections {
            known: Arc::new(Semaphore::new(known)),
            most_strangers: strangers.max(1),
            strangers: Mutex::default(),
        })
    }

    /// A new one, of whom nothing is known yet.
    pub fn connection(self: &Arc<Self>, number: u64) -> Arc<Connection> {
        Arc::new(Connection {
            number,
            all: self.clone(),
            place: Mutex::default(),
        })
    }

    /// Takes a stranger in, and closes the oldest if there are too many: who holds a connection
    /// and never shows the cookie keeps nobody out.
    pub fn admit(&self, number: u64, task: AbortHandle) {
        let mut strangers = self.strangers();
        strangers.push_back((number, task));
        let oldest = match strangers.len() > self.most_strangers {
            true => strangers.pop_front(),
            false => None,
        };
        drop(strangers);
        if let Some((_, oldest)) = oldest {
            oldest.abort();
        }
    }

    fn strangers(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, AbortHandle)>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// It showed the cookie: it is no stranger any more. False if there are too many such.
    pub fn is_known(&self) -> bool {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            let Ok(permit) = self.all.known.clone().try_acquire_owned() else {
                return false;
            };
            *place = Some(permit);
            self.forget();
        }
        true
    }

    fn forget(&self) {
        self.all
            .strangers()
            .retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A stream that fails if nobody reads what is written to it for a while.
#[derive(Debug)]
pub struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    waits: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub fn new(stream: S, patience: Duration) -> Patient<S> {
        Patient {
            stream,
            patience,
            waits: None,
        }
    }

    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = None;
            return written;
        }
        let end = Instant::now() + self.patience;
        let waits = self
            .waits
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        match waits.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.within(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.within(context, shut)
    }
}
