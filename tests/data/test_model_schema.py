"""The schema of models agrees with the reader: what ships and what is good passes, what is broken does not.

The reader's side of tests/data/models.json is in tests/unit/io/test_model_json.c.
"""
import json
import os
import sys
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root = Path(os.environ["STATEPATH_SOURCE"])
schema = json.loads((root / "models/statepath-model.schema.json").read_text())
validator_class = getattr(jsonschema, "Draft202012Validator", None)
if validator_class is None:
    print("skipped: this python3-jsonschema does not know draft 2020-12")
    sys.exit(77)
validator_class.check_schema(schema)
validator = validator_class(schema)
wrong = []

shipped = sorted((root / "models").glob("*.model.json"))
assert len(shipped) >= 4
for file in shipped:
    model = json.loads(file.read_text())
    wrong += [f"{file.name}: {error.message}" for error in validator.iter_errors(model)]
    if model["name"] != file.name.removesuffix(".model.json"):
        wrong.append(f"{file.name} is called {model['name']}")
    if not model.get("source") or not model.get("description"):
        wrong.append(f"{file.name} does not say what it is and where it comes from")

cases = json.loads((root / "tests/data/models.json").read_text())
for model in cases["good"]:
    wrong += [f"{json.dumps(model)}: {error.message}" for error in validator.iter_errors(model)]
for model in cases["broken"]:
    if validator.is_valid(model):
        wrong.append(f"passes but is broken: {json.dumps(model)}")

# The real models that are at hand.
for file in sorted(Path(os.environ["STATEPATH_SHARED"]).glob("data/*.model.json")):
    wrong += [f"{file.name}: {error.message}" for error in validator.iter_errors(json.loads(file.read_text()))]

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
