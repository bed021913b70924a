"""cinder-scheduler: which pool of which backend a volume goes to."""
