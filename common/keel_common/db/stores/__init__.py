"""SQL of one noun a module: plain functions of a connection that return rows and dicts."""
