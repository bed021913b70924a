"""os-volumes_boot, an older name of servers."""
