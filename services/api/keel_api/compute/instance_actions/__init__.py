"""Instance actions: what was done to a server."""
