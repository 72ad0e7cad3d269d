//! News from other processes: who waits for what they write is woken instead of looking again and again.

use crate::{BoxFuture, LogError};

/// Tells when other processes write to the log. What this process writes, an [`crate::Observer`] is told.
pub trait Notifier: Send + Sync {
    /// Begins to listen. It costs nothing once nobody listens any more.
    fn listen(&self) -> Result<Box<dyn Listener>, LogError>;
}

/// Someone who listens for other processes' writes.
pub trait Listener: Send {
    /// Waits until another process may have written since the last call. The first call returns at once, so that
    /// nothing is missed that was written before. Dropping the future loses nothing, and a needless wake-up does no
    /// harm: whoever is woken reads the log.
    fn changed(&mut self) -> BoxFuture<'_, Result<(), LogError>>;
}
