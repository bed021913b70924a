"""Key pairs."""
