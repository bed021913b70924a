"""Whether the declarations equal everything recorded: one module per kind of thing, each ``count(suite) -> Count``."""
