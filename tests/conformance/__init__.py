"""Replays recorded exchanges of the real APIs against ours: `make conformance API=compute|volume`."""
