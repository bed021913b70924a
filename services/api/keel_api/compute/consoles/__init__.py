"""Consoles of servers, and what a console's token opens."""
