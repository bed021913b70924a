"""Host aggregates."""
