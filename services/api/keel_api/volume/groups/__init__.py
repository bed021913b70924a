"""Groups of volumes."""
