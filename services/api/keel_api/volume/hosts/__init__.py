"""Operations on hosts of the volume API."""
