"""`make tempest`: OpenStack's own test suite against the running cloud, and the verdict on what it finds."""
