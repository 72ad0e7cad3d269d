//! The real `candor` with a real remote agent: `a2a_peer.py`, made with the A2A protocol's own Python SDK.

#![cfg(unix)]
mod asking;
mod graph;
mod meeting;
mod peer;
mod secrets;
mod stopping;
