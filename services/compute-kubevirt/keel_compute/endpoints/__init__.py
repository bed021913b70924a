"""What nova-compute answers on the bus: methods, and how their outcome is recorded."""
