"""What the conductor answers on the bus."""
