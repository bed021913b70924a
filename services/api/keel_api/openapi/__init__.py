"""OpenAPI documents of both APIs, made from the same tables that serve them."""

from keel_api.openapi.document import document

__all__ = ["document"]
