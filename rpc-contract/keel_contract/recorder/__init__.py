"""Recording of installed real releases: what their services speak, asked of the packages themselves."""
