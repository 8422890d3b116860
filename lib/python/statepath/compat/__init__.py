"""The functions of other packages under their own signatures: change the import, keep the rest.

Each module says where it differs from its model. What holds for all: forbidden is exactly minus infinity (no epsilon), ties go to the lowest
class, and where there is no path a :class:`statepath.NoPathError` says so.
"""
