"""The HTTP machinery both suites share: operations, requests, faults, views, schemas, routing, order of refusals.

Handlers need only the names exported here.
"""

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import ABSENT, Field, View

__all__ = ["ABSENT", "Fault", "Field", "Request", "Response", "View", "handles"]
