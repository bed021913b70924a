"""Backups of volumes."""
