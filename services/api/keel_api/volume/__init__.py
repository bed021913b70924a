"""The block storage API (cinder 29.0.0, microversions 3.0 to 3.71)."""
