"""keel-status: what an operator asks before, during and after an upgrade."""
