"""The compute API (nova 34.0.0, microversions 2.1 to 2.104)."""
