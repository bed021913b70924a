"""Configuration files of every process of a cloud on one machine, under the option names of the services."""
