from keel_contract.cinder.objects.base import REGISTRY

__all__ = ["REGISTRY"]
