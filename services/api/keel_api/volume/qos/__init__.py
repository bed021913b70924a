"""Quality of service specs."""
