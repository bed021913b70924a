"""nova-scheduler: which host a server goes to, and the claim in Placement that makes it so."""
