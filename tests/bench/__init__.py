"""Our APIs and the real ones on the same database, with the same rows, workers and client: what a request costs."""
