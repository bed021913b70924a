"""Operations on the rows of the volume suite's processes (os-services)."""
