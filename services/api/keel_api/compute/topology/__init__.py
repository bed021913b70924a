"""How the memory and processors of a server lie on its host."""
