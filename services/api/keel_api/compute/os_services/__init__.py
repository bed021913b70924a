"""Services: who runs where."""
