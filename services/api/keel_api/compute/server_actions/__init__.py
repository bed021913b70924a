"""Actions of servers: what changes their state."""
