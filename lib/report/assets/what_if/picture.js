
/* ---- one recording, a stretch of it ---- */

const LANES = 6; /* more classes have no lanes but bars with their names */

const plainName = () => (strategies.includes("argmax") ? "argmax" : strategies[0]);
const ruledName = () => (strategies.includes("viterbi") ? "viterbi" : strategies[strategies.length - 1]);
/* The recording whose stretch tells most about the rules. */
const tellingMost = () => recordings.reduce((best, r, n) => (r.merit > recordings[best].merit ? n : best), 0);

/* Rectangles over the runs of steps of which something holds. */
function bars([from, to], y, height, holds) {
  let d = "";
  for (let t = from, begin = -1; t <= to; t++) {
    const isIn = t < to && holds(t);
    if (isIn && begin < 0) begin = t;
    if (!isIn && begin >= 0) { d += "M" + (begin - from) + " " + y + "h" + (t - begin) + "v" + height + "h" + (begin - t) + "z"; begin = -1; }
  }
  return d;
}
/* Of a path: is step t wrong, wrong where its rival is right, other than in the run? */
const isWrong = ({ path, labels }, t) => labels && labels[t] >= 0 && labels[t] !== path[t];
const isHarm = (one, t) => isWrong(one, t) && one.rival && one.rival[t] === one.labels[t];
const isMoved = ({ path, before }, t) => before && before[t] !== path[t];
/* One path from step `from` to `to`, and strips below it. */
function pathTrack(name, small, one, [from, to], r) {
  const { path, marks, before } = one;
  const lanes = 1 + Math.max(...settings.lanes), isBars = lanes > LANES, height = isBars ? 22 : 13, plot = isBars ? height : lanes * height, T = to - from;
  const place = (k) => (isBars ? 0 : settings.lanes[k] * height), shapes = classes.map(() => ""), names = [], gaps = [], triangles = [];
  let line = "";
  for (let t = from + 1, begin = from; t <= to; t++) {
    const k = path[begin];
    if (t < to && path[t] === k && !(isBars && r.gaps && r.gaps[t])) continue;
    if (k >= 0) {
      shapes[k] += "M" + (begin - from) + " " + (place(k) + 2) + "h" + (t - begin) + "v" + (height - 4) + "h" + (begin - t) + "z";
      if (!isBars && t < to && path[t] >= 0) line += "M" + (t - from) + " " + (place(k) + height / 2) + "V" + (place(path[t]) + height / 2);
      if (isBars && (0.6 * parts.steps.clientWidth * (t - begin)) / T > window.statepathRoom(classes[k])) names.push(el("svg", { x: (100 * (begin - from)) / T + "%", y: "9", width: (100 * (t - begin)) / T + "%", height: String(height) },
        el("title", null, classes[k]), el("text", { class: "what-if-name", x: "3", y: "15" }, classes[k])));
    } else gaps.push(el("rect", { class: "hatched", x: (100 * (begin - from)) / T + "%", y: "9", width: (100 * (t - begin)) / T + "%", height: String(plot) }));
    begin = t;
  }
  for (let t = from, last = -1; marks && t < to; t++) {
    const column = Math.floor(((t - from) * 400) / T);
    if (!marks[t] || column === last) continue;
    triangles.push(el("use", { href: "#ill", x: ((100 * (t - from)) / T).toFixed(2) + "%" }));
    last = column;
  }
  const below = before ? 14 : 8, strip = (name, y, height, holds) => el("path", { class: "what-if-" + name, d: bars([from, to], plot + y, height, (t) => holds(one, t)) });
  const inner = el("svg", { y: "9", width: "100%", height: String(plot + below), viewBox: "0 0 " + Math.max(T, 1) + " " + (plot + below), preserveAspectRatio: "none" },
    ...Array.from({ length: isBars ? 1 : lanes }, (none, i) => el("rect", { class: "what-if-lane" + (i % 2), y: String(i * height), width: String(T), height: String(height) })),
    el("path", { class: "what-if-line", d: line }), ...shapes.map((d, k) => d && el("path", { class: settings.styles[k], "data-k": k, d })).filter(Boolean),
    strip("strip", 3, 2, isWrong), strip("harm", 3, 5, isHarm), strip("changed", 10, 3, isMoved));
  const beside = el("svg", { class: "lane-names", height: String(plot + below + 9), "aria-hidden": "true" }, ...(isBars ? [] : [el("use", { href: "#names" })]));
  return el("div", { class: "track" }, el("div", { class: "name" }, name, el("small", null, small)),
    el("div", { class: "rows" }, el("svg", { height: String(plot + below + 9), role: "img", "aria-label": name + " over time" }, inner, ...gaps, ...names, ...triangles), beside));
}
/* A time where steps have a length, else the number of the step. */
function placeOf(r, t) {
  const at = r.from + t, seconds = settings.seconds * at, two = (n) => String(n).padStart(2, "0");
  if (!settings.seconds) return count(numberOf(at));
  return Math.floor(seconds / 3600) + ":" + two(Math.floor(seconds / 60) % 60) + (settings.seconds % 60 ? ":" + two(Math.floor(seconds % 60)) : "");
}
function axis(r, [from, to]) {
  const ticks = 4, marks = [];
  for (let i = 0; i < ticks; i++) {
    const t = from + Math.round((i * (to - from)) / ticks);
    marks.push(el("text", { x: (100 * (t - from)) / Math.max(1, to - from) + "%", y: "11", "text-anchor": i ? "middle" : "start" }, placeOf(r, t)));
  }
  return el("div", { class: "track" }, el("div", { class: "name" }, el("small", null, settings.seconds ? "time" : say("{step}"))),
    el("div", { class: "rows" }, el("svg", { class: "ticks", height: "16", "aria-hidden": "true" }, ...marks), el("svg", { class: "lane-names", height: "16", "aria-hidden": "true" })));
}
/* Tokens with their words: entities in the colour of their class, with its type; ▲ before an illegal transition; underlined where a path is
   wrong, framed where it is other than in the run. */
function sentenceTrack(name, small, one, [from, to], r) {
  const { path, marks } = one, classOf = (t) => [isWrong(one, t) && "wrong", isHarm(one, t) && "harm", isMoved(one, t) && "moved"].filter(Boolean).join(" ") || null;
  const typeOf = (k) => (k < 0 ? "?" : classes[k].replace(/^[A-Z]-/, "")), isOut = (k) => k >= 0 && classes[k] === "O", line = el("p", { class: "what-if-words", role: "img" });
  for (let t = from, end; t < to; t = end) {
    const k = path[t], words = [];
    for (end = t; end < to && (end === t || (!isOut(k) && typeOf(path[end]) === typeOf(k) && !/^[BSU]-/.test(classes[path[end]] || "B-") && !(marks && marks[end]))); end++)
      words.push(el("span", { class: classOf(end) }, r.words[end]), " ");
    if (marks && marks[t]) line.append(el("span", { class: "bad" }, "\u25b2"));
    if (isOut(k)) { line.append(...words); continue; }
    const mark = el("mark", null, ...words, el("small", null, k < 0 ? "none" : classes[k].replace(/^[BS]-/, "")));
    if (k >= 0) mark.style.background = "color-mix(in srgb, var(--c" + settings.styles[k].slice(1) + ") 28%, transparent)";
    line.append(mark, " ");
  }
  line.setAttribute("aria-label", name + ": " + line.textContent.trim());
  return el("div", { class: "track" }, el("div", { class: "name" }, name, el("small", null, small)), el("div", { class: "rows" }, line));
}
/* Steps from `from` to `to` that a path has wrong and the plain one right, and the other way round. */
function harmOf(labels, plain, path, [from, to]) {
  let lost = 0, gained = 0;
  for (let t = from; t < to; t++) {
    if (labels[t] < 0 || plain[t] === path[t]) continue;
    lost += plain[t] === labels[t];
    gained += path[t] === labels[t];
  }
  return [lost, gained];
}
const HARMS = 10;
let harms = { of: null, list: [], at: -1 };
/* The stretches in which the chosen strategy loses most against the plain one, over all recordings; none shares a step with another. */
function findHarms() {
  const found = [];
  recordings.forEach((r, n) => {
    const width = r.stretch[1] - r.stretch[0], by = Math.max(1, Math.floor(width / 4)), plain = now.paths[plainName()][n].path, path = now.paths[state.strategy][n].path;
    for (let from = 0; from + width <= r.T; from += by) {
      const [lost, gained] = harmOf(r.labels, plain, path, [from, from + width]);
      if (lost > gained) found.push({ n, zoom: [from, from + width], net: lost - gained });
    }
  });
  found.sort((a, b) => b.net - a.net);
  const list = [];
  for (const one of found) {
    if (list.every(({ n, zoom }) => n !== one.n || zoom[1] <= one.zoom[0] || one.zoom[1] <= zoom[0])) list.push(one);
    if (list.length === HARMS) break;
  }
  return list;
}
const harmKey = () => rulesAddress() + " " + state.strategy;
/* The next of them. */
function harm() {
  if (harms.of !== harmKey()) harms = { of: harmKey(), list: findHarms(), at: -1 };
  const one = harms.list[(harms.at = (harms.at + 1) % Math.max(1, harms.list.length))];
  if (!one) {
    parts.status.textContent = "In no stretch does " + state.strategy + " lose against " + plainName() + ".";
    return;
  }
  state.recording = one.n;
  state.zoom = one.zoom.slice();
  parts.recording.value = String(one.n);
  changed("zoom");
}
/* In the caption: what rules do here. */
function harmText(name, labels, plain, path, zoom) {
  const [lost, gained] = harmOf(labels, plain, path, zoom), one = harms.of === harmKey() && harms.list[harms.at];
  const isOne = one && one.n === state.recording && one.zoom.every((t, i) => t === zoom[i]);
  return (isOne ? " Place " + (harms.at + 1) + " of " + harms.list.length + " where rules do harm." : "") + " Here " + name + (isChanged() ? " now has " : " has ") + count(lost) +
    say(" {step(s)} wrong that ", lost) + plainName() + " has right, and " + count(gained) + " right that it has wrong.";
}
/* What stands under the pointer. */
function readOut(event) {
  const rows = event.target.closest(".rows"), r = recordings[state.recording], [from, to] = state.zoom || [0, r.T];
  const box = rows && rows.querySelector("svg") && rows.querySelector("svg").getBoundingClientRect(), share = box && (event.clientX - box.left) / box.width;
  const t = from + Math.floor(share * (to - from)), nameOf = (k) => (k < 0 ? "none" : classes[k]);
  if (!box || share < 0 || share >= 1) {
    parts.read.textContent = "";
    return;
  }
  const paths = [["reference", r.labels], [plainName(), now.paths[plainName()][state.recording].path], ...(isChanged() ? [[state.strategy + " in the run", run.paths[state.strategy][state.recording].path]] : []),
    ...(plainName() === state.strategy && !isChanged() ? [] : [[state.strategy, now.paths[state.strategy][state.recording].path]])];
  parts.read.textContent = (settings.seconds ? placeOf(r, t) + ", " : "") + say("{step} ") + count(numberOf(r.from + t)) + ": " +
    paths.filter(([, path]) => path).map(([name, path]) => name + " " + nameOf(path[t])).join(", ");
}
function showSteps(result) {
  const name = state.strategy, n = state.recording, r = recordings[n], plain = plainName(), zoom = state.zoom || [0, r.T], labels = r.labels;
  const before = run.paths[name][n], after = (result || now).paths[name][n], first = now.paths[plain][n], isOwn = plain === name;
  const small = (one) => (one.status !== "ok" ? one.status.replace("_", " ") : r.labels && one.scored ? ((100 * one.right) / one.scored).toFixed(1) + " % of all right" : "");
  const track = isTags && r.words && zoom[1] - zoom[0] <= 200 ? sentenceTrack : pathTrack, tracks = labels ? [track("reference", "", { path: labels }, zoom, r)] : [];
  const add = (title, one, rival, more, was) => tracks.push(track(title, small(one) + more, { path: one.path, marks: one.marks, labels, rival: isOwn ? null : rival.path, before: was }, zoom, r));
  if (!isOwn) add(plain, first, after, "");
  if (isChanged()) {
    add(name + ", run", before, first, "");
    add(name + ", now", after, first, ", " + count(difference(r, before.path, after.path).all) + " differ", before.path);
  } else {
    add(name, after, first, "");
  }
  const isWords = track === sentenceTrack, wrong = isWords ? "a word is underlined" : "the strip is filled", thick = isWords ? "doubly" : "thick", moved = isWords ? "framed" : "the strip below it is filled";
  fill(parts.steps, ...tracks, ...(isWords ? [] : [axis(r, zoom)]), el("figcaption", null, r.id + ", " + say("{steps} ") + count(numberOf(r.from + zoom[0])) + " to " + count(numberOf(r.from + zoom[1] - 1)) + ". ",
    el("svg", { width: "10", height: "10", role: "img", "aria-label": "A triangle" }, el("use", { href: "#ill", x: "5", y: "1" })), " illegal transition",
    (labels ? "; " + wrong + " where a path differs from the reference" : "") +
    (labels && !isOwn ? ", " + thick + " where the other of " + plain + " and " + name + " is right" : "") +
    (isChanged() ? "; " + moved + " where \u201cnow\u201d differs from the run." : "."), labels && !isOwn ? harmText(name, labels, first.path, after.path, zoom) : ""));
  parts.steps.dataset.file = "what-if-" + r.id.replace(/[^A-Za-z0-9._-]+/g, "-");
  if (window.statepath && track === pathTrack) window.statepath.takeAway(parts.steps);
  const shown = new Set();
  for (const path of [r.labels, first.path, before.path, after.path]) for (let t = zoom[0]; path && t < zoom[1]; t++) shown.add(path[t]);
  showRows(shown);
}
