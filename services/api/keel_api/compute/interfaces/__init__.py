"""Ports of a server: os-interface and ips."""
