//! Documentation of libraries: from a server that knows it, or from Python itself. It helps; it is never needed.

mod local;
mod tools;

use std::sync::Arc;

use candor_ports::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use self::local::LocalDocs;
pub use self::tools::ToolDocs;

/// How much documentation one search gives.
const MOST_CHARS: usize = 6_000;

/// Wherever the documentation of libraries is found.
pub trait Documentation: Send + Sync {
    /// Looks something up in the documentation of a library; an error says why nothing was found.
    ///
    /// It ends soon after `stop` fires.
    fn search<'a>(
        &'a self,
        library: &'a str,
        query: &'a str,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>>;
}

/// Two sources: the second is asked when the first fails, or has nothing to say.
pub struct Both {
    first: Arc<dyn Documentation>,
    second: Arc<dyn Documentation>,
}

impl Both {
    /// Asks the first, and then the second.
    #[must_use]
    pub fn new(first: Arc<dyn Documentation>, second: Arc<dyn Documentation>) -> Self {
        Self { first, second }
    }
}

impl Documentation for Both {
    fn search<'a>(
        &'a self,
        library: &'a str,
        query: &'a str,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            let why = match self.first.search(library, query, stop.clone()).await {
                Ok(text) if !text.trim().is_empty() => return Ok(text),
                Ok(_) => "it has nothing to say".to_owned(),
                Err(error) => error,
            };
            let second = self.second.search(library, query, stop).await;
            second.map_err(|error| format!("{why}; {error}"))
        })
    }
}

/// The first characters of a text, and that there was more.
fn within(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}
