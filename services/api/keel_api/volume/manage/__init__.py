"""What lies on a backend and may be taken over."""
