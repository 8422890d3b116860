"""check.py WHEEL: the wheel holds the licences of all that is in it: statepath's, and of each library beside it that which WHEELS.txt names."""
import re
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    text = {re.sub(".*/", "", name): wheel.read(name).decode() for name in wheel.namelist() if re.search("[.]dist-info/licenses/.*[^/]$", name)}
    libraries = sorted(re.sub("[-.].*", "", name.split("/")[1]) for name in wheel.namelist() if re.match("statepath[.]libs/.", name))
assert text["LICENSE"].startswith("MIT License"), "LICENSE is not statepath's"
assert "GNU GENERAL PUBLIC LICENSE\n" in text["GPL-3.0.txt"] and "END OF TERMS AND CONDITIONS" in text["GPL-3.0.txt"], "the text of the GPL is not whole"
unknown = [library for library in libraries if not re.search(r"^  (\w+, )*%s\b" % library, text["WHEELS.txt"], re.M)]
assert not unknown, "WHEELS.txt does not name " + ", ".join(unknown)
print("licences of", ", ".join(["statepath", *libraries]))
