from keel_contract.nova.objects.base import REGISTRY

__all__ = ["REGISTRY"]
