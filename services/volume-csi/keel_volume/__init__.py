"""cinder-volume whose volumes are PersistentVolumeClaims: one backend a cluster, one pool a StorageClass."""
