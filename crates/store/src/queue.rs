//! What waits to be written, and who is to write it.
//!
//! One at a time has the lead: it takes what waits as a group, and works on it. Where the work is quick, a helper
//! does that, a task beside those that wait, and no other thread need be woken. Where it is not, nobody's executor
//! may be held up by it, and a thread leads, which sleeps until it is worth while: it knows how many came together
//! the last time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

/// How many items one group has at most.
const MAX_GROUP: usize = 512;

/// How long the thread's group waits for the next item, while it has fewer than are likely to come.
///
/// Without it, the first of many writers to be answered would be back at once and have an fsync of its own,
/// while all others miss it. A lone writer never waits.
const GATHER: Duration = Duration::from_micros(100);

/// A bounded queue with many writers, and one at a time who empties it.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
    room: Semaphore,
}

#[derive(Debug)]
struct State<T> {
    waiting: Vec<T>,
    /// Whether someone has the lead.
    led: bool,
    /// Whether the work is so quick that a helper may do it.
    quick: bool,
    /// Whether a helper will look after what waits.
    helped: bool,
    /// How many waited when the helper last looked.
    seen: usize,
    /// The thread sleeps until so many wait.
    wanted: usize,
    /// How many items are likely to come together.
    likely: usize,
    /// Whether the thread sleeps and must be woken.
    asleep: bool,
    closed: bool,
}

impl<T> State<T> {
    /// Whether there is something for the thread to do.
    fn needs_thread(&self) -> bool {
        !self.waiting.is_empty() && !self.led && (!self.helped || self.closed)
    }

    fn take(&mut self) -> Vec<T> {
        (self.led, self.seen) = (true, 0);
        let taken = self.waiting.len().min(MAX_GROUP);
        // Writers that stay away are forgotten slowly: a group that was cut short must not teach the next
        // one to be short as well.
        self.likely = taken.max(self.likely - self.likely.div_ceil(8));
        // As many are likely to come again.
        let mut rest = Vec::with_capacity(taken);
        rest.extend(self.waiting.drain(taken..));
        std::mem::replace(&mut self.waiting, rest)
    }
}

impl<T> Queue<T> {
    /// A queue in which at most `room` items wait or are worked on.
    pub(crate) fn new(room: usize) -> Self {
        let state = State {
            waiting: Vec::new(),
            led: false,
            quick: false,
            helped: false,
            seen: 0,
            wanted: 1,
            likely: 1,
            asleep: false,
            closed: false,
        };
        Self { state: Mutex::new(state), arrived: Condvar::new(), room: Semaphore::new(room.max(1)) }
    }

    /// Puts an item into the queue, once there is room; `None` if the queue is closed. Says whether a helper is
    /// wanted: then one must [look](Self::look), or be [given up](Self::without_helper).
    pub(crate) async fn push(&self, item: T) -> Option<bool> {
        self.room.acquire().await.ok()?.forget();
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.waiting.push(item);
        let wanted = state.quick && !state.helped && !state.led;
        state.helped |= wanted;
        let wake = state.asleep && state.needs_thread() && state.waiting.len() >= state.wanted;
        drop(state);
        if wake {
            self.arrived.notify_one();
        }
        Some(wanted)
    }

    /// What the helper finds to do.
    pub(crate) fn look(&self) -> Look<'_, T> {
        let mut state = self.lock();
        let waiting = state.waiting.len();
        if waiting == 0 || state.led || !state.quick || state.closed {
            self.leave_to_thread(state);
            return Look::Gone;
        }
        if waiting < state.likely && waiting > state.seen {
            state.seen = waiting;
            return Look::Later;
        }
        let (lead, group) = self.lead(state);
        Look::Lead(lead, group)
    }

    /// Does without a helper; the thread looks after what waits.
    pub(crate) fn without_helper(&self) {
        self.leave_to_thread(self.lock());
    }

    fn leave_to_thread(&self, mut state: MutexGuard<'_, State<T>>) {
        state.helped = false;
        let wake = state.needs_thread();
        drop(state);
        if wake {
            self.arrived.notify_one();
        }
    }

    /// Sleeps until the thread is needed, and gives it the lead with a group; none when the queue is closed and
    /// empty.
    pub(crate) fn next_group(&self) -> Option<(Lead<'_, T>, Vec<T>)> {
        let mut state = self.lock();
        loop {
            if state.needs_thread() {
                state = self.gather(state);
                // A helper may have been quicker meanwhile.
                if state.needs_thread() {
                    return Some(self.lead(state));
                }
            } else if state.closed && state.waiting.is_empty() {
                return None;
            } else {
                state.wanted = 1;
                state.asleep = true;
                state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.asleep = false;
            }
        }
    }

    /// Sleeps until as many wait as are likely to come, or nothing new comes.
    fn gather<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.wanted = state.likely;
        while state.waiting.len() < state.likely && !state.closed {
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

    fn lead(&self, mut state: MutexGuard<'_, State<T>>) -> (Lead<'_, T>, Vec<T>) {
        let group = state.take();
        (Lead { queue: self, taken: group.len(), quick: None }, group)
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
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a helper finds to do.
#[derive(Debug)]
pub(crate) enum Look<'a, T> {
    /// To work on this group.
    Lead(Lead<'a, T>, Vec<T>),
    /// To look again when others have had their turn: more is coming.
    Later,
    /// Nothing to do any more.
    Gone,
}

/// The right to work. When it is laid down, what came meanwhile is left to the helper, if there is one, and to
/// the thread otherwise.
#[derive(Debug)]
pub(crate) struct Lead<'a, T> {
    queue: &'a Queue<T>,
    /// How much room there is again when the work is done.
    taken: usize,
    quick: Option<bool>,
}

impl<T> Lead<'_, T> {
    /// Lays it down, and says whether the work was quick.
    pub(crate) fn done(mut self, quick: bool) {
        self.quick = Some(quick);
    }

    /// Puts back what could not be worked on here, and what is not quick after all.
    pub(crate) fn give_back(mut self, mut items: Vec<T>) {
        (self.taken, self.quick) = (0, Some(false));
        let mut state = self.queue.lock();
        items.append(&mut state.waiting);
        state.waiting = items;
    }
}

impl<T> Drop for Lead<'_, T> {
    fn drop(&mut self) {
        self.queue.room.add_permits(self.taken);
        let mut state = self.queue.lock();
        state.led = false;
        state.quick = self.quick.unwrap_or(state.quick);
        let wake = state.needs_thread() || state.closed;
        drop(state);
        if wake {
            self.queue.arrived.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn queue(room: usize) -> Arc<Queue<u32>> {
        Arc::new(Queue::new(room))
    }

    /// What the thread gets, as if it had worked on it.
    fn next(queue: &Queue<u32>) -> Option<Vec<u32>> {
        let (lead, group) = queue.next_group()?;
        lead.done(false);
        Some(group)
    }

    /// A queue whose work is known to be quick.
    async fn quick() -> Arc<Queue<u32>> {
        let queue = queue(8);
        assert_eq!(queue.push(0).await, Some(false), "nobody knows yet how long work takes");
        queue.next_group().unwrap().0.done(true);
        queue
    }

    /// What the helper gets, with the lead.
    fn helper(queue: &Queue<u32>) -> (Lead<'_, u32>, Vec<u32>) {
        match queue.look() {
            Look::Lead(lead, group) => (lead, group),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn what_waits_comes_out_in_order_and_closing_loses_nothing() {
        let queue = queue(8);
        for n in 0..5 {
            queue.push(n).await.unwrap();
        }
        queue.close();
        assert_eq!(queue.push(9).await, None);
        assert_eq!(next(&queue), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(next(&queue), None);
    }

    #[tokio::test]
    async fn a_full_queue_holds_writers_back_until_a_group_is_done() {
        let queue = queue(2);
        queue.push(1).await.unwrap();
        queue.push(2).await.unwrap();
        let third = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.push(3).await }
        });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        assert_eq!(next(&queue), Some(vec![1, 2]));
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
        assert_eq!(next(&queue), None);
    }

    #[test]
    fn the_thread_gathers_as_many_as_came_before() {
        let queue = queue(1_000);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        (0..64).for_each(|n| _ = runtime.block_on(queue.push(n)).unwrap());
        assert_eq!(next(&queue).unwrap().len(), 64);
        let writer = std::thread::spawn({
            let queue = Arc::clone(&queue);
            move || (0..64).for_each(|n| _ = runtime.block_on(queue.push(n)).unwrap())
        });
        let mut groups = 0;
        let mut taken = 0;
        while taken < 64 {
            taken += next(&queue).unwrap().len();
            groups += 1;
        }
        writer.join().unwrap();
        assert!(groups < 32, "{groups} groups for 64 items that came together");
    }

    #[tokio::test]
    async fn where_work_is_quick_one_helper_is_wanted_until_nothing_waits() {
        let queue = quick().await;
        assert_eq!(queue.push(1).await, Some(true));
        assert_eq!(queue.push(2).await, Some(false), "one is enough");
        let (lead, group) = helper(&queue);
        assert_eq!(group, [1, 2]);
        assert_eq!(queue.push(3).await, Some(false), "it looks again");
        assert_eq!(queue.push(4).await, Some(false));
        lead.done(true);
        let (lead, group) = helper(&queue);
        assert_eq!(group, [3, 4]);
        lead.done(true);
        assert!(matches!(queue.look(), Look::Gone));
        assert_eq!(queue.push(5).await, Some(true));
    }

    #[tokio::test]
    async fn a_helper_waits_for_those_who_are_likely_to_come_as_long_as_they_do() {
        let queue = quick().await;
        for n in 1..4 {
            queue.push(n).await.unwrap();
        }
        helper(&queue).0.done(true);
        queue.push(4).await.unwrap();
        assert!(matches!(queue.look(), Look::Later), "three came together the last time");
        queue.push(5).await.unwrap();
        assert!(matches!(queue.look(), Look::Later));
        assert_eq!(helper(&queue).1, [4, 5], "nobody else came");
    }

    #[tokio::test]
    async fn what_a_helper_does_not_do_is_the_threads() {
        let queue = quick().await;
        assert_eq!(queue.push(1).await, Some(true));
        queue.without_helper();
        assert_eq!(next(&queue), Some(vec![1]), "it went away");
        queue.push(2).await.unwrap();
        assert_eq!(next(&queue), Some(vec![2]), "work was not quick");
    }

    #[tokio::test]
    async fn when_work_turns_out_slow_the_helper_leaves_the_rest_to_the_thread() {
        let queue = quick().await;
        queue.push(1).await.unwrap();
        let (lead, _) = helper(&queue);
        queue.push(2).await.unwrap();
        lead.done(false);
        assert!(matches!(queue.look(), Look::Gone));
        assert_eq!(next(&queue), Some(vec![2]));
    }

    #[tokio::test]
    async fn what_is_given_back_is_done_first_and_takes_no_more_room_than_before() {
        let queue = quick().await;
        queue.push(1).await.unwrap();
        let (lead, group) = helper(&queue);
        queue.push(2).await.unwrap();
        lead.give_back(group);
        assert_eq!(queue.room.available_permits(), 6);
        assert!(matches!(queue.look(), Look::Gone), "whoever is in the way may stay there for long");
        assert_eq!(next(&queue), Some(vec![1, 2]));
        assert_eq!(queue.room.available_permits(), 8);
    }
}
