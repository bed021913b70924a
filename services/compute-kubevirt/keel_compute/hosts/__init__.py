"""Kubernetes nodes as Nova hosts: which are ours, what they report, how they start and end."""
