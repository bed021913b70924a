"""Operations on quotas of the volume API."""
