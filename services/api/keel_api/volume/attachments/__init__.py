"""Operations on attachments of the volume API."""
