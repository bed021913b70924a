"""Our services and the real ones of Nova and Cinder in one cloud: same databases, same bus."""
