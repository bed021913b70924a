"""Code of ours that runs inside the real services of a cloud on one machine.

The folder above this one is on PYTHONPATH of those services alone; the dist-info folder beside it makes the entry
points known. Nothing here may import a package of OpenKeel: the environments of the real services do not have them.
"""
