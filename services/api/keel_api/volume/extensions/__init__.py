"""Operations on extensions of the volume API."""
