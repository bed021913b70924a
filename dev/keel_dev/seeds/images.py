"""Small images, made here: disks that hold a line of text and no operating system."""

from keel_dev.client import connect
from keel_dev.settings import Settings

NAME = "tiny"
#: A second one, for tests that want to tell images apart.
OTHER_NAME = "tiny-other"
DISK_BYTES = 1024 * 1024
CONTENT = b"OpenKeel: a raw disk without an operating system\n"


def disk() -> bytes:
    """The content of the image. No partition table: Glance refuses one in an image that is said to be raw."""
    return CONTENT.ljust(DISK_BYTES, b"\0")


def seed(settings: Settings, name: str = NAME) -> None:
    """Upload a public image; one whose upload was interrupted is replaced."""
    image_api = connect(settings).image
    for image in image_api.images(name=name):
        if image.status == "active":
            return
        image_api.delete_image(image)
    image_api.create_image(
        name=name,
        disk_format="raw",
        container_format="bare",
        visibility="public",
        data=disk(),
        validate_checksum=False,
        wait=True,
    )
