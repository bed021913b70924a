"""Rules of block storage: states, quotas, lists, placement names. Pure data and functions."""
