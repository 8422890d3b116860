"""Parts add up: the report of all parts is that of one run, byte for byte, however they were cut and in whatever order they are added."""
import functools
import os
import pickle
import random

import numpy as np
import pytest
import statepath as sp

pytest.importorskip("statepath._evaluation", reason="built without GSL")

MODEL = "sleep-aasm"
FORMS = ("json", "csv", "md", "html")


def nights(n, seed=1):
    """Scores and labels by id, in the natural order of the ids; some recordings have gaps, and some no labels."""
    rng = np.random.default_rng(seed)
    scores, labels = {}, {}
    for i in range(n):
        y = np.repeat(rng.integers(0, 5, 12), rng.integers(1, 9))
        p = rng.gamma(0.3 + 1.2 * np.eye(5)[y]) + 1e-4
        scores[f"night{i}"] = p / p.sum(axis=1, keepdims=True)
        labels[f"night{i}"] = np.where(rng.random(len(y)) < 0.1 + (i % 5 == 0), -1, y)
    return scores, labels


def forms(report):
    return {form: report._comparison.text(form) for form in FORMS}


def parts_of(scores, labels, groups, **options):
    return [sp.compare_part({name: scores[name] for name in group}, labels, MODEL, **options) for group in groups]


OPTIONS = [
    {},
    {"strategies": "argmax,viterbi,mea", "on_infeasible": "relax"},
    {"wake_trim": 2.0, "preset": "sleep", "level": 0.9, "seed": 3},
    {"temperature": 1.5, "transition_weight": 0.5, "weighted_kappa": "linear", "margin": 0.02},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_shards_are_one_run(options):
    scores, labels = nights(11)
    values, truth = list(scores.values()), list(labels.values())
    subjects = [f"s{i // 2}" for i in range(11)]
    whole = forms(sp.compare(values, truth, MODEL, subjects=subjects, **options))
    for n in (1, 2, 5, 13):
        parts = [sp.compare_part(values, truth, MODEL, shard=(i, n), subjects=subjects, **options) for i in range(1, n + 1)]
        random.Random(n).shuffle(parts)
        assert forms(sp.merge(pickle.loads(pickle.dumps(parts)), values)) == whole


def test_order_of_arrays_is_kept():
    """Shards of the same recordings: ids need not be in order."""
    scores, labels = nights(7)
    shuffled = {name: scores[name] for name in random.Random(1).sample(list(scores), 7)}
    parts = [sp.compare_part(shuffled, labels, MODEL, shard=f"{i}/3") for i in (3, 1, 2)]
    assert sp.merge(parts).to_json() == sp.compare(shuffled, labels, MODEL).to_json()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_any_groups_in_any_order(options):
    scores, labels = nights(12)
    whole = forms(sp.compare(scores, labels, MODEL, **options))
    names = list(scores)
    for seed in range(4):
        mixed = random.Random(seed).sample(names, len(names))
        cuts = [mixed[:1], mixed[1:5], mixed[5:6], mixed[6:]]
        parts = parts_of(scores, labels, cuts, **options)
        a, b, c, d = parts
        sums = [a + b + c + d, (d + c) + (b + a), a + ((c + b) + d), sum(reversed(parts)), functools.reduce(lambda x, y: y + x, parts)]
        assert len({hash(s) for s in sums}) == 1 and all(s == sums[0] for s in sums)
        for s in [*sums, parts]:
            report = sp.merge(s, {name: scores[name] for name in mixed})
            assert forms(report) == whole
            assert report.table() == sp.compare(scores, labels, MODEL, **options).table()


def test_without_scores_the_page_draws_paths():
    scores, labels = nights(4)
    parts = parts_of(scores, labels, [["night2", "night0"], ["night1", "night3"]])
    whole = sp.compare(scores, labels, MODEL)
    merged = sp.merge(parts)
    page, own = merged._comparison.text("html"), whole._comparison.text("html")
    assert merged.data == whole.data and page != own
    assert len(page) > len(sp.merge(parts, trace_steps=0)._comparison.text("html"))
    bare = parts_of(scores, labels, [list(scores)], part_steps="none")
    assert sp.merge(bare).data == whole.data and len(bare[0]._blocks[0]) < len(sum(parts)._blocks[0] + sum(parts)._blocks[1])
    with pytest.raises(sp.StatepathError, match="hold no steps"):
        sp.merge(bare, scores)


def test_without_labels_and_with_gaps():
    scores, _ = nights(6)
    scores["night2"] = scores["night2"] * [[1, 1, 1, 1, 0]]
    scores["night2"][3] = [0, 0, 0, 0, 1]
    scores["night2"][4] = [0, 0, 0, 1, 0]
    rows, lengths = np.concatenate(list(scores.values())), [len(s) for s in scores.values()]
    segments = np.arange(len(rows)) // 17
    given = {"kind": "scores", "lengths": lengths, "segments": segments, "ids": list(scores)}
    with np.errstate(divide="ignore"):
        rows = np.log(rows)
    with pytest.warns(sp.StatepathWarning) as whole_said:
        whole = sp.compare(rows, None, MODEL, **given)
    with pytest.warns(sp.StatepathWarning) as said:
        parts = [sp.compare_part(rows, None, MODEL, shard=(i, 3), **given) for i in (1, 2, 3)]
    assert {str(w.message) for w in said} == {str(w.message) for w in whole_said}
    assert whole.data["strategies"]["viterbi"]["undecoded"]
    assert sp.merge(reversed(parts)).to_json() == whole.to_json()


def test_part_says_what_it_holds():
    scores, labels = nights(3)
    one, two = parts_of(scores, labels, [["night0", "night2"], ["night1"]])
    assert one.recordings == ["night0", "night2"] and one.steps == len(scores["night0"]) + len(scores["night2"])
    assert repr(one) == f"Part: 2 recordings, {one.steps} steps" and repr(two) == f"Part: 1 recording, {two.steps} steps"
    assert (one + two).recordings == ["night0", "night2", "night1"] and (one + two).steps == one.steps + two.steps
    assert one != two and one + two == two + one and len({one, two, one}) == 2
    with pytest.raises(TypeError):
        one + "x"
    with pytest.raises(sp.StatepathError, match="compare_part"):
        sp.Part()
    with pytest.raises(sp.StatepathError, match="int is no Part"):
        sp.merge([1])
    with pytest.raises(sp.StatepathError, match="no part"):
        sp.merge([])


def sentence(call, *words):
    with pytest.raises(sp.StatepathError) as raised:
        call()
    text = str(raised.value)
    assert type(raised.value) is sp.StatepathError and "\n" not in text
    for word in words:
        assert word in text, text


def test_a_recording_twice_is_named():
    scores, labels = nights(4)
    one, two, same = parts_of(scores, labels, [["night0", "night1"], ["night2", "night1"], ["night0", "night1"]])
    sentence(lambda: one + two, "night1", "both")
    sentence(lambda: sp.merge([one, two]), "night1", "part 1", "part 2")
    sentence(lambda: sp.merge([one, same]), "night0", "part 1", "part 2")
    shards = [sp.compare_part(scores, labels, MODEL, shard=(i, 2)) for i in (1, 2, 2)]
    sentence(lambda: sp.merge(shards), shards[1].recordings[0], "part 2", "part 3")


def test_parts_that_do_not_go_together():
    scores, labels = nights(2)
    first = sp.compare_part({"night0": scores["night0"]}, labels, MODEL)
    rest = {"night1": scores["night1"]}
    sentence(lambda: sp.merge([first, sp.compare_part(rest, labels, "sleep-strict")]), "models differ")
    sentence(lambda: sp.merge([first, sp.compare_part(rest, labels, MODEL, "viterbi")]), "strategies differ")
    sentence(lambda: sp.merge([first, sp.compare_part(rest, labels, MODEL, temperature=2.0)]), "temperature=")
    sentence(lambda: sp.merge([first, sp.compare_part(rest, labels, MODEL, name="b")]), "name=")
    sentence(lambda: sp.merge([first, sp.compare_part(rest, labels, MODEL, part_steps="none")]), "part_steps=")
    sentence(lambda: sp.merge([first, sp.compare_part(rest, None, MODEL)]), "labels")
    sentence(lambda: sp.compare_part(rest, labels, MODEL, rule_costs=True), "rule_costs=")
    sentence(lambda: sp.compare_part(rest, labels, MODEL, shard=(3, 2)), "3/2")
    sentence(lambda: sp.compare_part(rest, labels, MODEL, part_steps="some"), "part_steps=")


def test_missing_shards():
    scores, labels = nights(6)
    parts = [sp.compare_part(scores, labels, MODEL, shard=(i, 3)) for i in (1, 2, 3)]
    sentence(lambda: sp.merge(parts[:2]), "3/3", "allow_missing=")
    with pytest.warns(sp.StatepathWarning, match="3/3"):
        report = sp.merge([parts[1], parts[0]], allow_missing=True)
    assert "3/3" in report.data["input"]["missing_parts"] and report.data["input"]["recordings"] < 6
    others = parts_of(nights(9)[0], nights(9)[1], [["night7"], ["night8"]])
    mixed = [sp.compare_part({"b": scores["night0"], "a": scores["night1"]}, {"b": labels["night0"], "a": labels["night1"]}, MODEL, shard="1/1"), *others]
    sentence(lambda: sp.merge(mixed), "part 1", "recording b stands before a", "natural order")
    sentence(lambda: sp.merge([*parts[:2], *others]), "missing")  # shards of one run among parts of others


def test_a_damaged_part_is_one_sentence():
    scores, labels = nights(3)
    part = sp.compare_part(scores, labels, MODEL)
    whole = part._blocks[0]
    rng = random.Random(1)
    for damaged in [b"", whole[:20], whole[:-1], whole + b"\0", b"x" + whole, whole[:30] + bytes([whole[30] ^ 1]) + whole[31:]]:
        sentence(lambda block=damaged: sp.merge(sp.Part._made((block,))), "part")
    for _ in range(200):
        block = bytearray(whole)
        block[rng.randrange(len(block))] ^= 1 << rng.randrange(8)
        sentence(lambda block=bytes(block): sp.merge(sp.Part._made((block,))), "part 1")
    sentence(lambda: repr(pickle.loads(pickle.dumps(sp.Part._made((whole[:-5],))))), "the part", "damaged")


def with_checksum(block):
    total = 14695981039346656037
    for byte in block[25:]:
        total = ((total ^ byte) * 1099511628211) % 2**64
    return block[:17] + total.to_bytes(8, "little") + block[25:]


@pytest.mark.parametrize(
    "before, after, words",
    [
        (b'"kind":"compare"', b'"kind":123456789', ['"kind"', "damaged"]),
        (b'"n_classes":5', b'"n_classes":0', ["damaged"]),
        (b'"n_classes":5', b'"n_classes":4', ["damaged"]),
        (b'"classes":["Wake"', b'"classes":[100000', ['"classes"', "damaged"]),
        (b'"inputs":[{', b'"inputz":[{', ['"inputs"', "damaged"]),
        (b'"viterbi"', b'"viterbj"', ["strategies", "damaged"]),
        (b'"statepath":"1', b'"statepath":"9', ["was made by statepath 9", "one version"]),
    ],
)
def test_a_header_that_is_wrong_is_one_sentence(before, after, words):
    """The checksum is right: what made the part was wrong, or of another version."""
    scores, labels = nights(3)
    block = sp.compare_part(scores, labels, MODEL)._blocks[0]
    assert with_checksum(block) == block and before in block
    sentence(lambda: sp.merge(sp.Part._made((with_checksum(block.replace(before, after, 1)),))), "part 1", *words)


def lines_of_readme(first):
    """The block of the README that begins with this line."""
    file = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "lib", "python", "README.md"))
    if not os.path.exists(file):
        pytest.skip("the sources are not beside the tests")
    with open(file, encoding="utf-8") as f:
        blocks = [block.split("```")[0] for block in f.read().split("```python\n")[1:]]
    (block,) = [block for block in blocks if block.startswith(first)]
    return block


@pytest.mark.parametrize("package", ["joblib", "dask"])
def test_three_lines(package, tmp_path):
    """What the README shows runs: a function that counts a night, on workers, then merge()."""
    pytest.importorskip(package)
    scores, labels = nights(5)
    files = [str(tmp_path / f"{name}.npz") for name in scores]  # whole names: workers of an earlier test are in another folder
    for file, name in zip(files, scores, strict=True):
        np.savez(file, probs=scores[name], labels=labels[name])
    names = {"files": files, "np": np, "sp": sp}
    exec(lines_of_readme("def count("), names)
    exec(lines_of_readme(f"import {package}"), names)
    whole = sp.compare(list(scores.values()), list(labels.values()), MODEL, ids=files)
    assert names["report"].to_json() == whole.to_json()


def test_files(tmp_path):
    scores, labels = nights(5)
    names = list(scores)
    parts = parts_of(scores, labels, (names[:2], names[2:3], names[3:]))
    whole = forms(sp.merge(parts))
    (parts[0] + parts[2]).save(tmp_path / "two")
    parts[1].save(str(tmp_path / "one"))
    assert sp.Part.load(tmp_path / "two") == parts[0] + parts[2] and sp.Part.load(tmp_path / "two").recordings == names[:2] + names[3:]
    assert forms(sp.merge([tmp_path / "two", str(tmp_path / "one")])) == forms(sp.merge([parts[1], tmp_path / "two"])) == whole
    assert forms(sum(parts).report()) == whole and forms(sp.merge(tmp_path / "one")) == forms(parts[1].report())
    with pytest.raises(sp.FileError, match="one: exists already"):
        parts[0].save(tmp_path / "one")
    parts[0].save(tmp_path / "one", force=True)
    assert sp.Part.load(tmp_path / "one") == parts[0] and sorted(os.listdir(tmp_path)) == ["one", "two"]
    with pytest.raises(sp.StatepathError, match="night0"):
        sp.merge([tmp_path / "one", tmp_path / "two"])


def test_files_that_are_no_parts(tmp_path):
    scores, labels = nights(2)
    sp.compare_part(scores, labels, MODEL).save(tmp_path / "part")
    good = (tmp_path / "part").read_bytes()
    file = tmp_path / "bad"
    for data, word in ((b"", "is no part"), (b"hello", "is no part"), (b"\x89HDF\r\n", "statepath merge"), (good[:-1], "ends within"), (good[:20], "ends within"),
                       (good + b"\1", "ends within"), (good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "bad: ")):  # fmt: skip
        file.write_bytes(data)
        with pytest.raises(sp.FileError, match=word):
            sp.Part.load(file)
        with pytest.raises(sp.FileError, match=word):
            sp.merge([file])
    for name in (tmp_path / "nothing", tmp_path):
        with pytest.raises(sp.FileError, match="cannot be read"):
            sp.Part.load(name)
    with pytest.raises(sp.StatepathError, match="file=3"):
        sp.Part.load(3)
    with pytest.raises(sp.FileError, match="cannot be written"):
        sp.compare_part(scores, labels, MODEL).save(tmp_path / "nowhere" / "part")
