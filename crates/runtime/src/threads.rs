//! Threads that runs are spread over. A run stays on the thread where it began: what it made is freed there, and what it
//! looks at again is still in the cache of that core. An executor that hands its tasks from thread to thread takes a third
//! more time of the processor for the same runs.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Threads with an executor each. They end when the last handle to them is gone.
pub(crate) struct Threads {
    executors: Vec<Handle>,
    next: AtomicUsize,
    /// Dropped to end the threads; nobody waits for them, since it may be one of them that drops this.
    _stop: Vec<oneshot::Sender<()>>,
}

impl Threads {
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        let (mut executors, mut stops) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let executor = Builder::new_current_thread().enable_all().build()?;
            let (stop, stopped) = oneshot::channel::<()>();
            executors.push(executor.handle().clone());
            stops.push(stop);
            std::thread::Builder::new().name("candor-runs".to_owned()).spawn(move || {
                // Nothing is ever sent; it ends when the other side is dropped.
                let _ = executor.block_on(stopped);
            })?;
        }
        Ok(Self { executors, next: AtomicUsize::new(0), _stop: stops })
    }

    /// Where the next run is to be driven, one thread after the other.
    pub(crate) fn next(&self) -> Option<&Handle> {
        let nth = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(self.executors.len())?;
        self.executors.get(nth)
    }
}
