"""Rules about compute servers that need nothing but their inputs: statuses, guards, filters, block devices, names."""
