"""Volumes of a server: os-volume_attachments."""
