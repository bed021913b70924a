"""Stores of the Nova databases."""
