"""Keeping the records true to the guests: watch-driven, with an audit as repair."""
