
/* ---- what follows ---- */

let run, now, undecodable = "", asked = 0, isDue = false;

/* A difference of shares, in percentage points, as everywhere on the page. */
const points = (x) => signed(100 * x, 2) + " pp";
function figureCell(after, before, decimals) {
  if (after === null) return el("td", { class: "n" }, "\u2013");
  const text = (x) => (x === null ? "\u2013" : decimals ? x.toFixed(decimals) : count(x)), isSame = text(after) === text(before);
  return el("td", { class: "n" }, text(after), ...(isSame ? [] : [el("small", { class: "moved" }, decimals ? points(after - before) : signed(after - before, 0))]));
}
/* Counts of what breaks rules: transitions, and rules over more steps, where some are never broken, or have a price, in the run or now. */
function brokenRules() {
  const prices = [...asInRun().prices, ...state.prices], some = (isPriced) => prices.some((cost) => (cost !== null) === isPriced);
  return [["illegal", "illegal"], ...(some(false) ? [["violations", "hard"]] : []), ...(some(true) ? [["priced", "priced"]] : [])];
}
/* The head of the first column, with what of the run is held. */
const corner = (text) => (heldOf ? [text, el("small", { class: "held" }, heldOf)] : [text]);
function showFigures() {
  const isDecoded = strategies.every((name) => !now.figures[name].none && !run.figures[name].none); /* then the last column says nothing */
  const broken = brokenRules(), head = [corner("strategy"), ...MEASURES.map(([name]) => [name]), ...broken.map(([name]) => [name]), ["changes"], ["undecoded"]];
  const rows = strategies.map((name) => {
    const a = now.figures[name], b = run.figures[name], agreement = MEASURES.map(([, key]) => figureCell(a[key], b[key], 4));
    return el("tr", name === state.strategy ? { class: "chosen" } : null, el("th", { scope: "row" }, name), ...agreement, ...broken.map(([, key]) => figureCell(a[key], b[key], 0)),
      figureCell(a.changes, b.changes, 0), figureCell(a.none, b.none, 0));
  });
  const blank = () => el("td", { class: "n" }, "\u2013");
  if (settings.labels) rows.push(el("tr", null, el("th", { scope: "row" }, "reference"), ...MEASURES.map(blank), ...broken.map(([, key]) => figureCell(now.reference[key], run.reference[key], 0)), blank(), blank()));
  fill(parts.figures, el("table", { class: "what-if-figures" + (MEASURES.length > 2 ? " tall" : ""), "aria-label": "Figures now" },
    el("thead", null, el("tr", null, ...head.map((words, i) => el("th", { scope: "col", class: i ? "n" : "" }, ...words)))), el("tbody", null, ...rows)));
  parts.figures.querySelectorAll("tr > :last-child").forEach((cell) => (cell.hidden = isDecoded));
  const a = now.figures[state.strategy], b = run.figures[state.strategy], moved = (x, y) => (x.toFixed(4) === y.toFixed(4) ? "" : " (" + points(x - y) + ")");
  fill(parts.lead, el("strong", null, state.strategy), " " + MEASURES.slice(0, 2).map(([name, key]) => (a[key] === null ? "" : name + " " + a[key].toFixed(4) + moved(a[key], b[key]) + ", ")).join("") +
    broken.map(([name, key]) => count(a[key]) + " " + name).join(", "));
}
function showConfusion() {
  if (!settings.labels || !parts.confusionFold.open) return;
  const name = state.strategy, a = now.figures[name], b = run.figures[name];
  const rows = classes.map((from, i) => {
    const support = classes.reduce((sum, to, j) => sum + a.confusion[i * K + j], a.undecoded[i]);
    return el("tr", null, el("th", { scope: "row" }, from), ...classes.map((to, j) => {
      const n = a.confusion[i * K + j], d = n - b.confusion[i * K + j], share = support ? Math.abs(d) / support : 0;
      const level = d === 0 ? "" : (d > 0 ? "more" : "less") + (share < 0.005 ? 1 : share < 0.02 ? 2 : 3);
      return el("td", { class: (level + (i === j ? " diagonal" : "")).trim() }, count(n), ...(d ? [el("span", null, signed(d, 0))] : []));
    }));
  });
  fill(parts.confusion, el("table", { class: "matrix" + (K > 14 ? " many" : K > 7 ? " turned" : "") },
    el("caption", null, "Confusion of " + name + ": rows the reference, columns decoded; below a count what it is more or less than in the run"),
    el("thead", null, el("tr", null, el("th", { scope: "col", class: "corner" }, "reference \\ decoded"), ...classes.map((to) => el("th", { scope: "col" }, to)))),
    el("tbody", null, ...rows)));
}
function showRecordings() {
  recordings.forEach((r, n) => {
    const d = isChanged() ? now.differences[state.strategy][n] : { all: 0 }, text = r.id + (d.all ? " \u2013 " + count(d.all) + say(" {steps} differ") : "");
    if (parts.recording.options[n].textContent !== text) parts.recording.options[n].textContent = text;
  });
}
function sentence() {
  const name = state.strategy;
  if (undecodable) return "These rules cannot be decoded with: " + undecodable;
  if (!isChanged()) return heldOf ? "Nothing is changed yet. Figures are of " + heldOf + "." : "As in the run: nothing is changed yet.";
  const all = now.differences[name], sum = (key) => all.reduce((a, d) => a + d[key], 0), n = all.filter((d) => d.all).length;
  if (!sum("all")) return say("No {step} of ") + name + " differs from the run.";
  const steps = count(sum("all")) + say(" {step(s)} of ", sum("all")) + name + " in " + count(n) + say(" {recording(s)}", n) + " now differ from the run";
  return settings.labels ? steps + ": " + count(sum("fixed")) + " now right, " + count(sum("broken")) + " now wrong, " + count(sum("other")) + " neither." : steps + ".";
}
function showAll() {
  const isBroken = Boolean(undecodable);
  parts.status.textContent = (parts.unknown || "") + sentence();
  parts.status.className = isBroken ? "bad" : "";
  parts.results.classList.toggle("stale", isBroken);
  parts.save.disabled = isBroken;
  if (isBroken) return;
  showFigures();
  showRecordings();
  showSteps();
  showConfusion();
  showTried();
}
/* Once for each picture of the screen. */
function schedule() {
  tool.dataset.busy = "";
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; show(); });
}
function changed(key = "") {
  parts.unknown = "";
  remember(key);
  schedule();
}
/* Which of the rules costs most, where one costs anything; costs: ["row column", gain]. */
function worstOf(costs) {
  const most = Math.max(0, ...costs.map(([, gain]) => gain)), worst = costs.filter(([, gain]) => gain === most);
  if (!most) return "";
  const [row, column] = worst[0][0].split(" ").map(Number);
  return " " + (row ? states[row - 1] + " \u2192 " : "The start in ") + states[column] + " costs most" + (worst.length > 1 ? ", with others." : ".");
}
/* The shown recording first, then the others in slices; a later change ends this one. */
async function show() {
  const mine = ++asked, isWanted = () => mine === asked;
  sliceEnd = performance.now() + SLICE;
  showRules();
  parts.sliders.forEach((update) => update());
  parts.back.disabled = !isChanged();
  parts.undo.disabled = at === 0;
  parts.redo.disabled = at === past.length - 1;
  fill(parts.command, command());
  fill(parts.python, python());
  undecodable = "";
  try {
    const result = isChanged() ? await decodeAll(changedModel(), { first: state.recording, against: run, isWanted, onFirst: showSteps }) : run;
    if (!result) return;
    now = result;
  } catch (error) {
    if (!isWanted()) return;
    undecodable = error.message.replace(/^model: /, "");
  }
  const one = undecodable ? null : noteTried();
  forgetCosts();
  parts.worst.textContent = (one && one.worst) || "";
  showAll();
  if (isDue) return; /* a later change waits for its frame */
  delete tool.dataset.busy;
  if (!one) return;
  one.costs.forEach((gain, cell) => showCost(...cell.split(" ").map(Number), gain));
  await new Promise((done) => setTimeout(done, 200));
  const cells = forbiddenCells().filter(([i, j]) => !one.costs.has((i + 1) + " " + j)), result = now;
  if (isWanted()) await findCosts(ruledName(), result, cells, isWanted, (i, j, gain) => { one.costs.set((i + 1) + " " + j, gain); showCost(i + 1, j, gain); });
  if (!isWanted()) return;
  parts.worst.textContent = one.worst = worstOf([...one.costs]);
  tool.dataset.costs = "shown";
}

/* ---- sent on ---- */

function save() {
  const link = el("a", { href: URL.createObjectURL(new Blob([JSON.stringify(changedModel(), null, 2) + "\n"], { type: "application/json" })), download: fileName() });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const quote = (text) => (/^[\w./:-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");
function command() {
  return "statepath decode " + quote(settings.file) + " --model " + quote(fileName()) + " --strategies " + state.strategy + settings.options + " -o paths.h5";
}
function python() { /* two strings: " = " would lose its spaces (embed.cmake) */
  return "import statepath as sp\nmodel " + "= sp.Model.load(" + JSON.stringify(fileName()) + ")\nprint(sp.compare(" + JSON.stringify(settings.file) + ", model))";
}
async function copyLink(e) {
  const button = e.currentTarget, link = location.href.replace(/#.*$/, "") + address();
  write("replaceState", shown = address());
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = location.protocol === "file:" ? "Link copied: send the file too" : "Link copied";
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  } catch (error) { /* a browser that does not let a page copy: the reader does */
    parts.link.hidden = false;
    parts.link.value = link;
    parts.link.select();
  }
}

/* ---- the section ---- */

function zoomButtons() {
  const shift = (by) => {
    const r = recordings[state.recording], [from, to] = state.zoom || [0, r.T], width = Math.max(1, to - from), start = Math.max(0, Math.min(r.T - width, from + Math.round(by * width)));
    state.zoom = [start, start + width];
    changed("zoom");
  };
  const scale = (by) => {
    const r = recordings[state.recording], [from, to] = state.zoom || [0, r.T], width = Math.min(r.T, Math.max(Math.min(10, r.T), Math.round((to - from) * by)));
    const start = Math.max(0, Math.min(r.T - width, Math.round((from + to - width) / 2)));
    state.zoom = width === r.T ? null : [start, start + width];
    changed("zoom");
  };
  const bite = () => { state.zoom = recordings[state.recording].stretch; changed("zoom"); };
  const make = (text, label, call) => el("button", { type: "button", title: label, click: call }, text);
  return [make("\u2190 earlier", say("Earlier {steps}"), () => shift(-0.5)), make("later \u2192", say("Later {steps}"), () => shift(0.5)), make("+", "Zoom in", () => scale(0.5)),
    make("\u2212", "Zoom out", () => scale(2)), make("All", say("The whole {recording}"), () => { state.zoom = null; changed("zoom"); }), make("Where rules bite", "The stretch in which rules change most", bite),
    ...(settings.labels && strategies.length > 1 ? [make("Where rules do harm", say("The stretches in which the strategy loses most {steps} that ") + plainName() + " has right, one after the other", harm)] : [])];
}
function build() {
  parts.figures = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Figures now, and against the run" });
  parts.confusion = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Confusion matrix now" });
  parts.confusionFold = el("details", { toggle: showConfusion }, el("summary", null, "Confusion now"), parts.confusion);
  parts.steps = el("figure", { pointermove: readOut, pointerleave: () => { parts.read.textContent = ""; } });
  parts.read = el("p", { class: "what-if-read small", "aria-hidden": "true" });
  parts.tried = el("div");
  parts.lead = el("p", { class: "what-if-lead", "aria-hidden": "true" });
  parts.status = el("p", { role: "status", id: "what-if-status" });
  parts.recording = el("select", { id: "what-if-recording", change: () => {
    state.recording = Number(parts.recording.value);
    state.zoom = recordings[state.recording].stretch;
    changed();
  } }, ...recordings.map((r, n) => el("option", { value: String(n) }, r.id)));
  parts.strategy = el("select", { id: "what-if-strategy", change: () => { state.strategy = parts.strategy.value; changed(); } }, ...strategies.map((name) => el("option", null, name)));
  parts.strategy.value = state.strategy;
  parts.recording.value = String(state.recording);
  parts.back = el("button", { type: "button", click: () => { Object.assign(state, asInRun()); changed(); } }, "Back to the run");
  parts.undo = el("button", { type: "button", click: () => step(-1) }, "Undo");
  parts.redo = el("button", { type: "button", click: () => step(1) }, "Redo");
  parts.worst = el("strong");
  parts.save = el("button", { type: "button", click: save }, "Model as JSON");
  parts.link = el("input", { type: "text", readonly: true, hidden: true, "aria-label": "Link to this state" });
  parts.command = el("code");
  parts.python = el("pre");
  parts.allRows = el("input", { type: "checkbox", id: "what-if-all", change: () => { showSteps(); show(); } });
  const rules = ruleTable(), prices = priceFields(), weights = sliders();
  parts.results = el("div", { class: "what-if-results" }, parts.figures,
    el("p", { class: "what-if-choice" }, el("label", { for: "what-if-strategy" }, "Strategy"), parts.strategy, el("label", { for: "what-if-recording" }, say("{Recording}")), parts.recording, ...zoomButtons()),
    parts.steps, parts.read);
  fill(tool, parts.lead, el("div", { class: "what-if-head" + (M > FEW ? " wide" : "") }, el("div", { class: "what-if-set" }, rules, ...prices, parts.status,
    ...(M > FEW ? [el("p", { class: "small" }, parts.allRows, el("label", { for: "what-if-all" }, " rows of all classes, not only of those in the picture"))] : []), ...weights,
    el("p", { class: "what-if-buttons" }, parts.back, parts.undo, parts.redo, el("button", { type: "button", click: copyLink }, "Copy link"), parts.save, parts.link), parts.dwellNote,
    el("p", { class: "small" }, "Click a cell to allow (\u2713) or forbid (\u2715) that the column follows the row" + (M > K ? "; rows and columns are states. " : ". ") +
      "Below \u2715: what " + ruledName() + " would gain if this alone were allowed, in " + (settings.labels ? "percentage points of " + MEASURES[0][0] + "." : say("{steps} that change.")) +
      (isWeighted ? " A cell that was forbidden has the least weight of its row once it is allowed." : "") + " Framed: other than in the run." + durationNote(), parts.worst)), parts.results),
  parts.tried, ...(settings.labels ? [parts.confusionFold] : []),
  el("details", null, el("summary", null, say("The same on all {recordings}, as command and in Python")), el("p", { class: "small" }, "With the model saved here: ", parts.command), parts.python));
}
async function begin() {
  const note = document.getElementById("what-if-note");
  try {
    statepath = await load(moduleBytes());
    await readRecordings();
    original = readRules();
    mostDwell = Math.max(999, ...original.minDwell, ...original.maxDwell);
    state = Object.assign(asInRun(), { strategy: ruledName(), recording: 0, zoom: null });
    run = now = await decodeAll(Object.assign({}, settings.model, { decoding }), { isWanted: () => true });
    state.recording = tellingMost();
    state.zoom = recordings[state.recording].stretch;
    build();
    past = [rulesAddress()];
    initial = shown = address();
    noteTried(); /* the run, also beside rules that the address brings */
    if (location.hash.startsWith("#rules=")) {
      follow();
      document.getElementById("what-if").scrollIntoView({ behavior: "instant" });
    } else {
      schedule();
    }
    let resized;
    window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => undecodable || showSteps(), 100); }); /* names have other room */
    window.addEventListener("popstate", follow);
    window.addEventListener("hashchange", follow);
    tool.dataset.state = "ready";
  } catch (error) {
    if (note) note.textContent = "Nothing can be changed here: where this page is shown, a page may not run WebAssembly (" + error.message +
      "). The rest of the page does not need it; a copy of the page on your own disk does it all.";
    tool.dataset.state = "refused";
  }
}
/* When the page has been drawn. */
(window.requestIdleCallback || ((call) => setTimeout(call, 50)))(begin);
