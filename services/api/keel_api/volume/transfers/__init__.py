"""Transfers of volumes between projects."""
