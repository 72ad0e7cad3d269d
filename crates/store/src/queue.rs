//! What waits for the writer: a bounded queue that is emptied a group at a time.
//!
//! A channel hands over one item at a time and wakes its reader for each. Here the reader sleeps until it is
//! worth while: it knows how many came together the last time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// How many items one group has at most.
const MAX_GROUP: usize = 512;

/// How long a group waits for the next item, while it has fewer than are likely to come.
///
/// Without it, the first of many writers to be answered would be back at once and have an fsync of its own,
/// while all others miss it. A lone writer never waits.
const GATHER: Duration = Duration::from_micros(100);

/// How long the reader stays on its feet before it sleeps.
///
/// A run whose tasks follow each other is back within this time, and waking a thread takes as long as half a
/// commit. A process that writes seldom does not notice.
const ON_ITS_FEET: Duration = Duration::from_micros(80);

/// A bounded queue with many writers and one reader.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    /// How many wait, to be looked at without the lock.
    count: AtomicUsize,
    state: Mutex<State<T>>,
    arrived: Condvar,
    room: Semaphore,
}

#[derive(Debug)]
struct State<T> {
    waiting: Vec<T>,
    /// The reader sleeps until so many wait.
    wanted: usize,
    /// How many items are likely to come together.
    likely: usize,
    /// Whether the reader sleeps and must be woken.
    asleep: bool,
    closed: bool,
}

impl<T> Queue<T> {
    /// A queue in which at most `room` items wait.
    pub(crate) fn new(room: usize) -> Self {
        let state = State { waiting: Vec::new(), wanted: 1, likely: 1, asleep: false, closed: false };
        Self {
            count: AtomicUsize::new(0),
            state: Mutex::new(state),
            arrived: Condvar::new(),
            room: Semaphore::new(room.max(1)),
        }
    }

    /// Puts an item into the queue, once there is room; `None` if the queue is closed.
    pub(crate) async fn push(&self, item: T) -> Option<()> {
        self.room.acquire().await.ok()?.forget();
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.waiting.push(item);
        self.count.store(state.waiting.len(), Ordering::Release);
        let wake = state.asleep && state.waiting.len() >= state.wanted;
        drop(state);
        if wake {
            self.arrived.notify_one();
        }
        Some(())
    }

    /// Waits for the next group; there is none when the queue is closed and empty.
    pub(crate) fn next_group(&self) -> Option<Vec<T>> {
        self.stay_on_feet();
        let mut state = self.gather(self.lock());
        while state.waiting.is_empty() {
            if state.closed {
                return None;
            }
            state.wanted = 1;
            state.asleep = true;
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep = false;
            state = self.gather(state);
        }
        let taken = state.waiting.len().min(MAX_GROUP);
        // Writers that stay away are forgotten slowly: a group that was cut short must not teach the next
        // one to be short as well.
        state.likely = taken.max(state.likely - state.likely.div_ceil(8));
        self.room.add_permits(taken);
        self.count.store(state.waiting.len() - taken, Ordering::Release);
        Some(state.waiting.drain(..taken).collect())
    }

    /// Waits a moment for the first item without sleeping.
    fn stay_on_feet(&self) {
        let enough = Instant::now() + ON_ITS_FEET;
        while self.count.load(Ordering::Acquire) == 0 && Instant::now() < enough {
            std::thread::yield_now();
        }
    }

    /// Sleeps until as many wait as are likely to come, or nothing new comes.
    fn gather<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.wanted = state.likely;
        while state.waiting.len() < state.likely && state.likely > 1 && !state.closed {
            let before = state.waiting.len();
            state.asleep = true;
            let woken = self.arrived.wait_timeout(state, GATHER).unwrap_or_else(PoisonError::into_inner);
            state = woken.0;
            state.asleep = false;
            if state.waiting.len() == before {
                break;
            }
        }
        state
    }

    /// Lets nothing in any more; what waits is still handed out.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.close();
        self.arrived.notify_one();
    }

    /// Lets nothing in any more and drops what waits.
    pub(crate) fn abandon(&self) {
        self.close();
        self.lock().waiting.clear();
        self.count.store(0, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn queue(room: usize) -> Arc<Queue<u32>> {
        Arc::new(Queue::new(room))
    }

    #[tokio::test]
    async fn what_waits_comes_out_in_order_and_closing_loses_nothing() {
        let queue = queue(8);
        for n in 0..5 {
            queue.push(n).await.unwrap();
        }
        queue.close();
        assert_eq!(queue.push(9).await, None);
        assert_eq!(queue.next_group(), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(queue.next_group(), None);
    }

    #[tokio::test]
    async fn a_full_queue_holds_writers_back_until_a_group_is_taken() {
        let queue = queue(2);
        queue.push(1).await.unwrap();
        queue.push(2).await.unwrap();
        let third = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.push(3).await }
        });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        assert_eq!(queue.next_group(), Some(vec![1, 2]));
        third.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn an_abandoned_queue_drops_what_waits() {
        let queue = queue(8);
        let item = Arc::new(());
        let watched = Arc::downgrade(&item);
        let of_items = Queue::new(8);
        of_items.push(item).await.unwrap();
        of_items.abandon();
        assert!(watched.upgrade().is_none(), "whoever waits for an answer to it would wait for ever");
        queue.abandon();
        assert_eq!(queue.next_group(), None);
    }

    #[test]
    fn a_reader_gathers_as_many_as_came_before() {
        let queue = queue(1_000);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        (0..64).for_each(|n| runtime.block_on(queue.push(n)).unwrap());
        assert_eq!(queue.next_group().unwrap().len(), 64);
        let writer = std::thread::spawn({
            let queue = Arc::clone(&queue);
            move || (0..64).for_each(|n| runtime.block_on(queue.push(n)).unwrap())
        });
        let mut groups = 0;
        let mut taken = 0;
        while taken < 64 {
            taken += queue.next_group().unwrap().len();
            groups += 1;
        }
        writer.join().unwrap();
        assert!(groups < 32, "{groups} groups for 64 items that came together");
    }
}
