import pytest

from keel_common.wire.image import image_dict


@pytest.mark.parametrize("kernel", ["nokernel", None])
def test_no_kernel_in_words_is_no_property(kernel):
    found = {"id": "i", "kernel_id": kernel, "ramdisk_id": kernel, "architecture": "x86_64"}
    properties = image_dict(found)["properties"]
    assert [name for name in ("kernel_id", "ramdisk_id", "architecture") if properties.get(name)] == ["architecture"]


def test_a_kernel_is_kept():
    assert image_dict({"id": "i", "kernel_id": "aki"})["properties"] == {"kernel_id": "aki"}
