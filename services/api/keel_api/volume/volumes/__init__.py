"""Operations on volumes of the volume API."""
