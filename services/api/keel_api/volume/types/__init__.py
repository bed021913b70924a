"""Operations on types of the volume API."""
