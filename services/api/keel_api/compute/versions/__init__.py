"""Version documents behind authentication."""
