"""What a host tells of a running server."""
