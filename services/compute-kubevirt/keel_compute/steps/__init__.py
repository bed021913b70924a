"""One peer a module: what a flow asks of Neutron, Cinder and the cluster. Every function may be called again."""
