"""Migrations of all servers: os-migrations."""
