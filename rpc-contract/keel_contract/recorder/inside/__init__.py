"""What runs in the interpreter of a real release: the standard library, that release, and its own dependencies.

These modules import nothing of this project, because the other interpreter does not have it. ``wire`` and ``fields``
are used on our side too, so that both sides are looked at with the same eyes.
"""
