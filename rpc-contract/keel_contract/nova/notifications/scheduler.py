"""Notifications: scheduler (notification objects of nova)."""

from __future__ import annotations

from keel_contract.nova.notifications.base import notification

SelectDestinationsNotification = notification("SelectDestinationsNotification", "RequestSpecPayload", "1.0")
