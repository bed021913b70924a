"""What other services report about servers: os-server-external-events."""
