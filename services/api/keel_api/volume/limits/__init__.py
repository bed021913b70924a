"""Operations on limits of the volume API."""
