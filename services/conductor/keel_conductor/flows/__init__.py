"""The long operations of the conductor."""
