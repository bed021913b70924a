"""Operations on zones of the volume API."""
