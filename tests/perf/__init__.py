"""Counts of what an operation costs; see docs/performance.md."""
