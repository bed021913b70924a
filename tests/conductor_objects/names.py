"""What seeds and cases call the same: uuids, names and moments."""

PROJECT, OTHER_PROJECT = "0123456789abcdef0123456789abcdef", "11112222333344445555666677778888"
USER, OTHER_USER = "fedcba9876543210fedcba9876543210", "88887777666655554444333322221111"
HOST, OTHER_HOST = "node-1", "node-2"
REQUEST = "req-5d8cd0c0-0000-4000-8000-000000000001"
OTHER_REQUEST = "req-5d8cd0c0-0000-4000-8000-000000000002"


def uuid(kind: int, number: int) -> str:
    """A uuid that tells what it is of."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


CELL0 = "00000000-0000-0000-0000-000000000000"
CELL1 = uuid(0xCE11, 1)
ACTIVE, BROKEN, REBOOTING, GONE, RESIZED, PLANNED, ABSENT = (uuid(0x5E, n) for n in range(1, 8))
"""Servers: running, in error, rebooting since long, deleted, moved, not in a cell yet, and one that nobody has."""
NODE1, NODE2 = uuid(0xC0DE, 1), uuid(0xC0DE, 2)
VOLUME, SHARED_VOLUME, LOOSE_VOLUME = uuid(0x70, 1), uuid(0x70, 2), uuid(0x70, 3)
NETWORK, PORT = uuid(0x2E, 1), uuid(0x21, 1)
GROUP, LOOSE_GROUP = uuid(0x6, 1), uuid(0x6, 2)
AGGREGATE, ZONE_AGGREGATE = uuid(0xA6, 1), uuid(0xA6, 2)
SERVICE1, SERVICE2, SERVICE3 = uuid(0x5E4, 1), uuid(0x5E4, 2), uuid(0x5E4, 3)
MIGRATION, LIVE_MIGRATION, OLD_MIGRATION = uuid(0x316, 1), uuid(0x316, 2), uuid(0x316, 3)
SHARE, SHARE_MAPPING = uuid(0x54, 1), uuid(0x54, 2)
IMAGE = uuid(0x19, 1)
TOKEN, DEAD_TOKEN = uuid(0x70E, 1), uuid(0x70E, 2)
LONG_AGO, LATER, LAST = "2024-01-01 10:00:00", "2024-01-02 10:00:00", "2024-01-03 10:00:00"
FAR_OFF = 2147400000  # 2038-01-17, seconds
