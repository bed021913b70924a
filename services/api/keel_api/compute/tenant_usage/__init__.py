"""Usage of projects over a span of time."""
