"""EDF+ of annotations alone, for tests."""


def edf(runs):
    """As EDFbrowser and PhysioNet write them: (seconds, text), one after the other."""
    lists, at = b"+0\x14\x14\0", 0
    for seconds, text in runs:
        lists += b"+%d\x15%d\x14%s\x14\0" % (at, seconds, text.encode())
        at += seconds
    lists += b"\0" * (-len(lists) % 2)
    return (
        b"0".ljust(184)
        + b"512".ljust(8)
        + b"EDF+C".ljust(44)
        + b"1".ljust(8)
        + b"0".ljust(8)
        + b"1".ljust(4)
        + b"EDF Annotations ".ljust(216)
        + str(len(lists) // 2).encode().ljust(8)
        + b"".ljust(32)
        + lists
    )
