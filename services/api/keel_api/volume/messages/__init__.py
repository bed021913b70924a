"""Operations on messages of the volume API."""
