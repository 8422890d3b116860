"""Where the JSON has the figures of `statepath help figures`."""

import re

from figures import ABSENT

# Where the JSON has a figure, if not at its key: of a scope, (what begins the key, what stands for it).
INPUT = """file bytes recordings subjects subjects_from steps scored_steps epoch_seconds epoch_assumed
           path_codes label_codes labels_file has_labels""".split()
PLACES = {
    "comparison": [
        ("(%s)$" % "|".join(INPUT), r"input.\1"),
        ("model$", "model.name"),
        ("model_", "model."),
        ("(fitted_on_input|forbidden_count)$", r"model.\1"),
        ("argmax_ties_scored$", "argmax_ties.scored"),
        ("argmax_ties$", "argmax_ties.steps"),
        ("cut_", "trim_to_shortest."),
    ],
    "strategy": [
        ("permuted_", "labels_may_be_permuted."),
        ("shift_", "labels_may_be_shifted."),
        ("error_runs$", "error_runs.count"),
        ("error_(runs?_)?", "error_runs."),
        ("dead_ends$", "error_runs.dead_ends"),
        ("(fixed|broken|wrong_to_wrong|same)$", r"changed_from_argmax.\1"),
        ("boundary_(matched|recall|precision)_(.)", r"boundaries.within_\2.\1"),
        ("boundary_", "boundaries."),
        ("segments_", "segments."),
        ("entity_strict_", "entities.strict."),
        ("entity_", "entities."),
    ],
    "runs of a class": [("runs$", "count"), ("isolated_runs", "isolated"), ("runs?_", "")],
    "type of entity": [("entity_", "")],
    "pair of strategies": [
        ("wilcoxon_p", "p"),
        ("mcnemar_(only|p)_", r"mcnemar.\1_"),
        ("(mcnemar_cluster|bowker|stuart_maxwell)_", r"\1."),
    ],
    "coarser classes": [("collapsed_", "")],
    "calibration": [("calibration_", "")],
    "scorers": [("scorers_", "")],
    "strategy against scorers": [("scorers_", "")],
    "measure of sleep, difference": [("difference$", "bias")],
}


def found(owner, key, more=""):
    """What the JSON says, or ABSENT."""
    for begin, instead in PLACES.get(owner.scope, ()):
        if re.match(begin, key):
            key = re.sub("^" + begin, instead, key)
            break
    at = owner.own
    for part in (key + more).split("."):
        at = at.get(part, ABSENT) if isinstance(at, dict) else ABSENT
    return at
