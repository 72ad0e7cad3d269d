//! Agents that need no model: commands, HTTP services and small built-in kinds.
