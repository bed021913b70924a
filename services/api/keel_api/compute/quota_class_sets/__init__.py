"""Quota class sets: the defaults of all projects."""
