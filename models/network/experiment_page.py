"""The result of experiment.py as one page in the style of the reports: nothing is requested, no script runs, the same results give the
same bytes."""
import base64
import hashlib
import html
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
STYLE = os.path.join(HERE, "..", "..", "lib", "report", "assets", "style.css")
SHAPES = ('<circle id="m0" r="5"/><rect id="m1" x="-4.5" y="-4.5" width="9" height="9"/><path id="m2" d="M0-6L5.5 4.5H-5.5z"/>'
          '<path id="m3" d="M0-6L6 0L0 6L-6 0z"/><path id="m4" d="M0 6L5.5-4.5H-5.5z"/>'
          '<path id="m5" d="M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6z"/>')
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 70, 748, 16, 300


def summary(values):
    """Mean and half of the 95 % interval over seeds (Student's t)."""
    n = len(values)
    mean = sum(values) / n
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}[n]
    return mean, t * spread / math.sqrt(n)


def signed(x, digits=2):
    text = "%+.*f" % (digits, x)
    return text if float(text) else text[1:]


def table(caption, head, rows):
    out = ['<div class="scroll" tabindex="0" role="group" aria-label="%s"><table class="numbers">' % html.escape(caption, True),
           "<caption>%s</caption>" % html.escape(caption),
           "<thead><tr>" + "".join('<th scope="col"%s>%s</th>' % (' class="n"' if i else "", html.escape(h)) for i, h in enumerate(head)) + "</tr></thead>",
           "<tbody>"]
    for row in rows:
        out.append('<tr><th scope="row">%s</th>' % html.escape(row[0]) + "".join("<td>%s</td>" % html.escape(c) for c in row[1:]) + "</tr>")
    return "\n".join(out + ["</tbody></table></div>"])


def key(names, first=0):
    """Shapes and colours; `first` is the number of the first name's, so that a strategy looks the same everywhere."""
    return '<ul class="key">' + "".join(
        '<li><svg aria-hidden="true"><use class="mark s%d" href="#m%d" x="7" y="7"/></svg>%s</li>' % (i, i, html.escape(n)) for i, n in enumerate(names, first)) + "</ul>"


def axis(low, high, unit):
    """The picture's lines across; returns the place of a value."""
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if (high - low) / s <= 6)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    place = lambda v: BOTTOM - (BOTTOM - TOP) * (v - low) / (high - low)
    lines = []
    for i in range(int(round((high - low) / step)) + 1):
        v = low + i * step
        lines.append('<path class="rule" d="M%d %.1fH%d"/><text text-anchor="end" x="%d" y="%.1f">%s</text>' % (
            LEFT, place(v), RIGHT, LEFT - 8, place(v) + 5, ("%g" if unit == "%" else "%+g") % round(v, 9) if abs(v) > 1e-9 else "0"))
    return place, lines


def by_noise(title, levels, names, values, is_gain):
    """One group a level of noise, one mark a strategy with its interval, a small dot a seed."""
    flat = [v for level in values for one in level for v in one]
    ends = [e for level in values for one in level for e in (summary(one)[0] - summary(one)[1], summary(one)[0] + summary(one)[1])]
    low, high = min(flat + ends + ([0] if is_gain else [])), max(flat + ends + ([0] if is_gain else []))
    if not is_gain:
        low, high = max(low, 0), min(high, 100)
    place, out = axis(low, high, "points" if is_gain else "%")
    width, first = (RIGHT - LEFT) / len(levels), int(is_gain)
    out = ['<figure class="wide-plot"><svg viewBox="0 0 %d 352" role="img" aria-label="%s; the numbers stand in the tables below">' % (WIDTH, html.escape(title, True))] + out
    if is_gain:
        out.append('<path class="zero" d="M%d %.1fH%d"/>' % (LEFT, place(0), RIGHT))
    inside = lambda y: min(max(y, TOP), BOTTOM)
    for g, level in enumerate(levels):
        for s, one in enumerate(values[g]):
            x = LEFT + width * (g + 0.16 + 0.68 * (s + 0.5) / len(names))
            mean, half = summary(one)
            out.append('<path class="faint k%d" d="%s"/>' % (s + first, "".join("M%.0f %.0fh0" % (x - 7, place(v)) for v in one)))
            out.append('<line class="whisker" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>' % (x, x, inside(place(mean - half)), inside(place(mean + half))))
            out.append('<g transform="translate(%.1f %.1f)"><title>%s, %s: %s</title><use class="mark s%d" href="#m%d"/></g>' % (
                x, place(mean), html.escape(names[s]), html.escape(level), "%s ± %.2f" % (signed(mean) if is_gain else "%.2f" % mean, half), s + first, s + first))
        out.append('<text text-anchor="middle" x="%.1f" y="%d">%s</text>' % (LEFT + width * (g + 0.5), BOTTOM + 26, html.escape(level)))
    out.append('<text text-anchor="middle" transform="translate(16 %d) rotate(-90)">%s</text>' % ((TOP + BOTTOM) / 2, "points against argmax" if is_gain else "accuracy, %"))
    return "\n".join(out) + "</svg>"


def verdict(results):
    """What each strategy is worth at each level, in words that follow from the interval."""
    lines = []
    for found in results["decoding"].values():
        rows = found["rows"]
        broken = 100 * summary([r["argmax"]["illegal"] / r["argmax"]["transitions"] for r in rows])[0]
        helped, none, harmed, same = [], [], [], []
        for name in rows[0]:
            if name == "argmax":
                continue
            if all(r[name]["accuracy"] == r["argmax"]["accuracy"] for r in rows):
                same.append(name)
                continue
            mean, half = summary([100 * (r[name]["accuracy"] - r["argmax"]["accuracy"]) for r in rows])
            text = "%s (%s)" % (name, signed(mean))
            (helped if round(mean - half, 2) > 0 else harmed if round(mean + half, 2) < 0 else none).append(text)
        parts = []
        if helped:
            parts.append("More accurate than argmax, in points: %s." % ", ".join(helped))
        if harmed:
            parts.append("Less accurate: %s." % ", ".join(harmed))
        if same:
            parts.append("As accurate, in every seed: %s." % ", ".join(same))
        if none:
            parts.append("No difference that five seeds could show: %s." % ", ".join(none))
        lines.append("<li><strong>Noise %g, argmax breaks a rule in %.1f %% of the transitions.</strong> %s</li>" % (found["noise"], broken, " ".join(parts)))
    return "\n".join(lines)


def learning(results):
    """Test accuracy by epoch, one thin line a seed."""
    place, lines = axis(0, 100, "%")
    names = list(results["training"])
    n = max(len(r["epochs"]) for rows in results["training"].values() for r in rows)
    x = lambda e: LEFT + (RIGHT - LEFT) * e / max(n - 1, 1)
    out = ['<figure class="wide-plot"><svg viewBox="0 0 %d 352" role="img" aria-label="Test accuracy by epoch of training, one line a seed">' % WIDTH] + lines
    for i, name in enumerate(names):
        for row in results["training"][name]:
            out.append('<path class="curve seed k%d d%d" d="M%s"/>' % (i, i, "L".join("%.1f %.1f" % (x(e), place(100 * one[3])) for e, one in enumerate(row["epochs"]))))
    for e in range(n):
        out.append('<text text-anchor="middle" x="%.1f" y="%d">%d</text>' % (x(e), BOTTOM + 22, e + 1))
    out.append('<text text-anchor="middle" x="%d" y="%d">epoch</text>' % ((LEFT + RIGHT) / 2, BOTTOM + 46))
    out.append('<text text-anchor="middle" transform="translate(16 %d) rotate(-90)">test accuracy, %%</text></svg>' % ((TOP + BOTTOM) / 2))
    keys = "".join('<li><svg class="long" aria-hidden="true"><path class="curve k%d d%d" d="M0 7H34"/></svg>%s</li>' % (i, i, html.escape(m)) for i, m in enumerate(names))
    return "\n".join(out) + '<ul class="key">%s</ul><figcaption>Test accuracy after each epoch, each seed a line.</figcaption></figure>' % keys


def page(results):
    with open(STYLE, encoding="utf-8") as f:
        style = f.read()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    found = list(results["decoding"].values())
    names = list(found[0]["rows"][0])
    levels = ["noise %g" % one["noise"] for one in found]
    accuracy = [[[100 * r[k]["accuracy"] for r in one["rows"]] for k in names] for one in found]
    gains = [[[100 * (r[k]["accuracy"] - r["argmax"]["accuracy"]) for r in one["rows"]] for k in names[1:]] for one in found]
    out = ["<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
           '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'sha256-%s\'; base-uri \'none\'; form-action \'none\'">' % digest,
           '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="color-scheme" content="light dark">',
           "<title>When decoding helps – five seeds – statepath</title>", "<style>%s</style>" % style, "</head>", "<body>",
           '<a class="skip" href="#verdict">Skip to the verdict</a>',
           '<svg width="0" height="0" class="swatch" aria-hidden="true" focusable="false"><defs>%s</defs></svg>' % SHAPES,
           '<div class="page">', '<header class="top"><div><h1>When decoding helps</h1>',
           '<p class="sub">Made signals of five sleep stages, a small network, %d seeds of nights, signals and weights; rules: sleep-strict.</p></div></header>' % len(found[0]["rows"]),
           '<nav aria-label="Sections"><ul><li><a href="#noise">By noise</a></li><li><a href="#masking">Masks in training</a></li><li><a href="#methods">Methods</a></li></ul></nav>',
           "<main>", '<section class="verdict" aria-labelledby="verdict">', '<h2 id="verdict">In short</h2>',
           '<p class="headline">Rules mend what a classifier gets wrong, and only where it breaks them. Where argmax is right there is nothing to gain, '
           'and a rule that is not true costs.</p>', '<ul class="notes">', verdict(results), "</ul>", "</section>",
           '<section aria-labelledby="noise">', '<h2 id="noise">Accuracy by noise</h2>',
           by_noise("Accuracy of each strategy at each level of noise", levels, names, accuracy, False), key(names),
           "<figcaption>Mark: mean over seeds. Line: 95 % interval over seeds (Student’s t). Small dots: the seeds.</figcaption></figure>",
           by_noise("Gain over argmax of each strategy at each level of noise", levels, names[1:], gains, True), key(names[1:], 1),
           "<figcaption>The same as a gain over argmax of the same seed, in points of accuracy. Where a line crosses the dashed one, five seeds do not "
           "tell whether the strategy helps.</figcaption></figure>"]
    for one in found:
        rows, lines = one["rows"], []
        for k in names:
            a, f = summary([100 * r[k]["accuracy"] for r in rows]), summary([100 * r[k]["macro_f1"] for r in rows])
            g = summary([100 * (r[k]["accuracy"] - r["argmax"]["accuracy"]) for r in rows])
            illegal = summary([100 * r[k]["illegal"] / r[k]["transitions"] for r in rows])
            lines.append([k, "%.2f ± %.2f" % a, "–" if k == "argmax" else "%s ± %.2f" % (signed(g[0]), g[1]), "%.2f ± %.2f" % f, "%.2f" % illegal[0]])
        out.append(table("Noise %g: means over seeds and 95 %% intervals, in per cent" % one["noise"],
                         ["strategy", "accuracy", "against argmax", "macro F1", "illegal"], lines))
    out += ['<p class="small">min-dwell is viterbi with each class staying two epochs at least; fitted is viterbi with the transition probabilities that '
            "<code>statepath fit</code> finds in the training recordings.</p>", "</section>",
            '<section aria-labelledby="masking">', '<h2 id="masking">Masks in training</h2>',
            "<p>The same network trained with its logits masked by the row of a random previous stage, with those of the true previous stage, and without masks. "
            "A random previous stage forbids the step’s own label in a share of the steps: that logit is then a constant, the loss is 1e9 whatever "
            "the network does, and all that the gradient can do is push every other logit down. The network ends by saying one class for nearly everything, which "
            "breaks no rule: few illegal transitions are no sign of quality.</p>", learning(results)]
    lines = []
    for masking, rows in results["training"].items():
        a = [r["argmax"]["accuracy"] for r in rows]
        lines.append([masking, " ".join("%.3f" % v for v in a), "%.4f" % (sum(a) / len(a)), " ".join(str(r["argmax"]["illegal"]) for r in rows),
                      "%.2g to %.2g" % (min(r["epochs"][-1][0] for r in rows), max(r["epochs"][-1][0] for r in rows))])
    out += [table("After the last epoch, argmax on the testing nights", ["masking", "test accuracy, each seed", "mean",
                                                                         "illegal of %d, each seed" % results["training"]["none"][0]["argmax"]["transitions"],
                                                                         "training loss"], lines),
            "</section>", '<section aria-labelledby="methods">', '<h2 id="methods">Methods</h2>',
            "<p>Signals: two channels of two sines each in noise, epochs of 30 s at 100 Hz, stages from a Markov chain that keeps the rules; twenty recordings of 50 "
            "epochs for training, five (masks) or forty (noise) for testing. A seed makes its own nights, signals and weights; the same seed gives "
            "the same figures for any number of threads. Training: twelve epochs, without masks unless said. Decoding sees the scores of the testing recordings only. "
            "Intervals are over seeds: mean ± t times the standard error. No test is made.</p>",
            "<p>Made with <code>python3 models/network/experiment.py</code>; the numbers of each seed stand in its <code>results.json</code>.</p>",
            "</section>", "</main>", "</div>", "</body>", "</html>", ""]
    return "\n".join(out)
