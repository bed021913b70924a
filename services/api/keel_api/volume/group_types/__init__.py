"""Group types and their specs."""
