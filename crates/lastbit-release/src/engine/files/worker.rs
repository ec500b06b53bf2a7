//! The threads of a run: each turns its batches into words and sums, or keeps them until all rows
//! of their units were read.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arrow_array::RecordBatch;

use super::bound::{Buckets, bounded};
use super::derive::Derived;
use super::encode::Encoder;
use super::fold::Fold;
use super::intern::Interner;
use super::{EngineError, Options};
use crate::engine::derive::DeriveStep;
use crate::engine::layout::Layout;
use crate::query::{Answer, Query};

/// What the threads of a run share.
pub(super) struct Shared {
    layout: Arc<Layout>,
    derive: Arc<DeriveStep>,
    interner: Arc<Interner>,
    /// Bytes of rows that wait for the rest of their unit.
    waiting: Arc<AtomicUsize>,
    pub threads: usize,
    memory: usize,
}

impl Shared {
    pub(super) fn new(query: &Query, options: &Options) -> Result<Shared, EngineError> {
        let layout = Arc::new(Layout::new(query)?);
        let derive = Arc::new(DeriveStep::new(
            &query.derive,
            &layout.columns,
            &layout.filters,
        )?);
        // Places in a bucket have 32 bits, and a record has 24 bytes or more.
        let memory = options.memory.min(1 << 36);
        Ok(Shared {
            interner: Arc::new(Interner::new(layout.tables.len(), memory)),
            layout,
            derive,
            waiting: Arc::default(),
            threads: options.threads.max(1),
            memory,
        })
    }

    /// The columns of batches, in their order.
    pub(super) fn columns(&self) -> &[String] {
        self.derive.reads()
    }

    pub(super) fn worker(&self) -> Worker {
        let buckets = || Buckets::new(&self.layout, &self.waiting, self.memory);
        Worker {
            derive: Arc::clone(&self.derive),
            encoder: Encoder::new(Arc::clone(&self.layout), Arc::clone(&self.interner)),
            fold: Fold::new(&self.layout),
            buckets: self.layout.unit.is_some().then(buckets),
            batches: 0,
            memory: self.memory,
        }
    }

    pub(super) fn finish(&self, workers: Vec<Worker>) -> Result<Answer, EngineError> {
        let Shared {
            layout,
            interner,
            threads,
            memory,
            ..
        } = self;
        let mut all = Fold::new(layout);
        let mut buckets = Vec::new();
        for worker in workers {
            all.merge(worker.fold)?;
            buckets.extend(worker.buckets);
        }
        if layout.unit.is_some() {
            all.merge(bounded(layout, interner, buckets, *threads, *memory)?)?;
        }
        Ok(Answer {
            rows: all.rows,
            tables: all.finish(interner),
        })
    }
}

/// One thread's part.
pub(super) struct Worker {
    derive: Arc<DeriveStep>,
    encoder: Encoder,
    fold: Fold,
    /// Unless every row is a unit.
    buckets: Option<Buckets>,
    batches: usize,
    memory: usize,
}

/// The state of a worker is measured once in so many batches.
const MEASURE: usize = 64;

impl Worker {
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        self.fold.read(batch.num_rows())?;
        let Derived { batch, passes } = self.derive.apply(batch)?;
        let encoded = self.encoder.encode(&batch, &passes)?;
        match &mut self.buckets {
            Some(buckets) => buckets.add(encoded)?,
            None => self.fold.add(encoded),
        }
        self.batches += 1;
        if self.batches.is_multiple_of(MEASURE) && self.fold.bytes() > self.memory {
            return Err(EngineError::Memory {
                what: "the state of the groups",
                limit: self.memory,
            });
        }
        Ok(())
    }
}
