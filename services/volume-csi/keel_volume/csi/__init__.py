"""What the cluster is told and what it says: bodies of claims and snapshots, and how their state is read."""
