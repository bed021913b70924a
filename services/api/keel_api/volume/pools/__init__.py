"""Operations on pools of the volume API."""
