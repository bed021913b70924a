"""SQL of the volume suite, a module per noun. Plain functions on a connection; rows come back as dicts."""
