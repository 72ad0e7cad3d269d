//! Agents that talk to each other while they work: real programs, a real log, the real engine.

mod broadcast;
mod conflict;
mod crew;
mod looking;
mod query;

/// Runs a test's work on two threads.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    executor.block_on(work)
}
