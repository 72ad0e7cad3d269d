//! The tokio driver: performs what the engine asks for.
