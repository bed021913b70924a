"""Operations on snapshots of the volume API."""
