//! What Candor costs, measured side by side.
