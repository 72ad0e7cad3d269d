//! Tools: whatever an agent can call.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{Carried, ToolCall, ToolResult, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// The tools of an installation, as one agent may use them.
pub trait Toolbox: Send + Sync {
    /// The tools that there are now; they can change while an agent works. Servers that are not running are
    /// started for it.
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>>;

    /// Why tools that should be there are not, in plain words.
    fn troubles(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Calls a tool. It never fails otherwise than in its result; it ends by itself when `within` has passed, and
    /// soon after `stop` fires, and nothing of the call runs on.
    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult>;

    /// Finds out whether a call whose end nobody knows was carried out.
    fn verify<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Carried>;
}
