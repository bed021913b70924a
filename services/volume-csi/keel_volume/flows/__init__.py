"""Long operations, each a step that may be taken again: the row says what is wanted, the cluster what is there."""
