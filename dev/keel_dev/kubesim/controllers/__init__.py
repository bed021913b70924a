"""The cluster's own controllers, each a room: what Kubernetes, CSI, CDI and KubeVirt do behind the API."""
