class VolumeCloud:
    pass
