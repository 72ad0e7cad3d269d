//! Where threads that compute one text together give each other their partial sums.
//!
//! It works in rounds. In each, every thread brings the sums of its parts, waits until all have come, and
//! takes the sums of all parts in the same order, so that all threads go on with the very same numbers. A
//! thread that dies breaks the exchange: nobody waits for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// How often a waiting thread looks up before it lets others run: some ten microseconds, as long as one
/// thread is usually behind the other.
const SPINS: usize = 500;
/// How often it looks up before it sleeps. Then the machine is busy, and the processor is better given
/// to whoever is waited for.
const LOOKS_AWAKE: usize = SPINS + 50;
/// How long it sleeps between two looks.
const NAP: Duration = Duration::from_micros(50);

/// The meeting place of some threads.
pub(super) struct AllReduce {
    /// For each part the sums of even rounds and those of odd ones: while some still take the sums of a round,
    /// others may bring those of the next. Nobody is further ahead, so the locks are always free.
    brought: Vec<[RwLock<Vec<f32>>; 2]>,
    threads: usize,
    /// How often any thread has come to a meeting.
    arrivals: AtomicUsize,
    broken: AtomicBool,
}

impl AllReduce {
    /// An exchange of so many threads about so many parts.
    pub(super) fn new(threads: usize, parts: usize) -> Self {
        let brought = (0..parts).map(|_| <[RwLock<Vec<f32>>; 2]>::default()).collect();
        Self { brought, threads, arrivals: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// A place for one thread.
    pub(super) fn seat(&self) -> Seat<'_> {
        Seat { exchange: self, round: 0 }
    }

    /// Lets nobody wait any longer.
    pub(super) fn break_up(&self) {
        self.broken.store(true, Ordering::Release);
    }

    fn brought(&self, part: usize, round: usize) -> Option<&RwLock<Vec<f32>>> {
        self.brought.get(part)?.get(round % 2)
    }

    /// Waits until all threads have come so many times; none if one never will.
    fn wait(&self, meetings: usize) -> Option<()> {
        let mut looks = 0;
        while self.arrivals.load(Ordering::Acquire) < meetings * self.threads {
            if self.broken.load(Ordering::Acquire) {
                return None;
            }
            looks += 1;
            if looks < SPINS {
                std::hint::spin_loop();
            } else if looks < LOOKS_AWAKE {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
        Some(())
    }
}

/// The place of one thread at an exchange.
pub(super) struct Seat<'a> {
    exchange: &'a AllReduce,
    round: usize,
}

impl Seat<'_> {
    /// Brings the sums of a part; `fill` overwrites what an earlier round left.
    pub(super) fn bring(&self, part: usize, fill: impl FnOnce(&mut Vec<f32>)) {
        if let Some(sums) = self.exchange.brought(part, self.round) {
            fill(&mut sums.write().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Waits for all others, then takes the sums of each part; none if a thread died.
    pub(super) fn meet(&mut self, mut take: impl FnMut(&[f32])) -> Option<()> {
        self.exchange.arrivals.fetch_add(1, Ordering::AcqRel);
        self.exchange.wait(self.round + 1)?;
        for part in 0..self.exchange.brought.len() {
            let sums = self.exchange.brought(part, self.round)?;
            take(&sums.read().unwrap_or_else(PoisonError::into_inner));
        }
        self.round += 1;
        Some(())
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.exchange.break_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: usize = 200;

    /// Brings a number of its own in each round; returns what it took.
    fn take_part(exchange: &AllReduce, part: usize) -> Vec<f32> {
        let mut seat = exchange.seat();
        let mut taken = Vec::new();
        for round in 0..ROUNDS {
            seat.bring(part, |sums| *sums = vec![(2 * round + part) as f32]);
            seat.meet(|sums| taken.extend(sums)).unwrap();
        }
        taken
    }

    #[test]
    fn everyone_takes_the_sums_of_all_parts_in_the_same_order() {
        let exchange = AllReduce::new(2, 2);
        let (one, other) = std::thread::scope(|scope| {
            let other = scope.spawn(|| take_part(&exchange, 1));
            (take_part(&exchange, 0), other.join().unwrap())
        });
        let wanted: Vec<f32> = (0..2 * ROUNDS).map(|number| number as f32).collect();
        assert_eq!((&one, &other), (&wanted, &wanted));
    }

    #[test]
    fn nobody_waits_for_a_thread_that_died() {
        let exchange = AllReduce::new(2, 2);
        std::thread::scope(|scope| {
            let dies = scope.spawn(|| {
                let _seat = exchange.seat();
                panic!("as if a weight were missing");
            });
            assert_eq!(exchange.seat().meet(|_| {}), None);
            assert!(dies.join().is_err());
        });
    }
}
