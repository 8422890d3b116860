
/* ---- the address: what is set can be sent ---- */

/* #rules=+Wake.N2,-N2.Wake&starts=-REM&dwell=N2:5&most=N3:any&price=n3:2.3&temperature=2&strategy=greedy&night=r04&zoom=100-180: what is other than in the
   run, names percent-encoded, steps from 0 whatever number a reader knows them by. */
const part = (name) => encodeURIComponent(name).replace(/[-_.!~*'()]/g, (letter) => "%" + letter.charCodeAt(0).toString(16).toUpperCase());
function rulesAddress() {
  const first = asInRun(), rules = [], starts = [], dwell = [], most = [];
  states.forEach((from, i) => states.forEach((to, j) => {
    if (state.rules.allow[i][j] !== original.allow[i][j]) rules.push((state.rules.allow[i][j] ? "+" : "-") + part(from) + "." + part(to));
  }));
  states.forEach((to, i) => {
    if (state.starts[i] !== first.starts[i]) starts.push((state.starts[i] ? "+" : "-") + part(to));
    if (state.rules.minDwell[i] !== original.minDwell[i]) dwell.push(part(to) + ":" + state.rules.minDwell[i]);
    if (state.rules.maxDwell[i] !== original.maxDwell[i]) most.push(part(to) + ":" + (state.rules.maxDwell[i] || "any"));
  });
  const list = (key, items) => (items.length ? "&" + key + "=" + items.join(",") : "");
  return "#rules=" + rules.join(",") + list("starts", starts) + list("dwell", dwell) + list("most", most) +
    list("price", state.prices.map((cost, i) => (cost === first.prices[i] ? "" : part(longRuleName(i)) + ":" + nats(cost))).filter(Boolean)) +
    NUMBERS.filter(([key]) => state[key] !== first[key]).map(([key]) => "&" + key + "=" + state[key]).join("");
}
function address() {
  return rulesAddress() + (state.strategy === ruledName() ? "" : "&strategy=" + part(state.strategy)) + "&night=" + part(recordings[state.recording].id) +
    "&zoom=" + (state.zoom ? state.zoom.join("-") : "all");
}
/* Sets what an address says; returns what in it is nothing here, in words. */
function readAddress(hash) {
  const unknown = [], fields = {};
  const decoded = (text) => { try { return decodeURIComponent(text); } catch (error) { return text; } };
  const known = ["rules", "starts", "dwell", "most", "price", "strategy", "night", "zoom", ...NUMBERS.map(([key]) => key)];
  hash.slice(1).split("&").filter(Boolean).forEach((field) => {
    const [key, ...value] = field.split("=");
    if (known.includes(key) && !(key in fields)) fields[key] = value.join("=");
    else unknown.push(decoded(field));
  });
  const each = (key, call) => (fields[key] || "").split(",").filter(Boolean).forEach((item) => { if (!call(item)) unknown.push(decoded(item)); });
  const place = (text) => states.indexOf(decoded(text));
  Object.assign(state, asInRun());
  each("rules", (item) => {
    const [from, to] = item.slice(1).split(".").map(place), isRight = /^[-+]/.test(item) && from >= 0 && to >= 0;
    if (isRight) state.rules.allow[from][to] = item[0] === "+" ? 1 : 0;
    return isRight;
  });
  each("starts", (item) => {
    const to = place(item.slice(1)), isRight = /^[-+]/.test(item) && to >= 0;
    if (isRight) state.starts[to] = item[0] === "+";
    return isRight;
  });
  const lengths = (key, list, isMost) => each(key, (item) => {
    const [name, text] = item.split(":"), i = place(name), isAny = isMost && text === "any" && !(durationOf(i) || {}).pmf, n = Number(text);
    const isRight = i >= 0 && (M === K || (!isMost && !durationOf(i))) && (isAny || (Number.isInteger(n) && n >= 1 && n <= mostDwell));
    if (isRight) list[i] = isAny ? null : n;
    return isRight;
  });
  lengths("dwell", state.rules.minDwell, false);
  lengths("most", state.rules.maxDwell, true);
  each("price", (item) => {
    const [name, text] = item.split(":"), i = longRules.findIndex((one, i) => longRuleName(i) === decoded(name)), cost = text === "never" ? null : Number(text || NaN);
    const isRight = i >= 0 && (cost === null || (cost >= 0 && cost < Infinity));
    if (isRight) state.prices[i] = cost;
    return isRight;
  });
  const ranges = { temperature: [0.01, 100], transitionWeight: [0, 100], priorWeight: [0, 100] };
  for (const [key] of NUMBERS) {
    const n = Number(fields[key]), isRight = fields[key] && n >= ranges[key][0] && n <= ranges[key][1];
    if (isRight) state[key] = n;
    else if (fields[key] !== undefined) unknown.push(key + " " + fields[key]);
  }
  const strategy = decoded(fields.strategy || ruledName()), night = decoded(fields.night || ""), n = recordings.findIndex((r) => r.id === night);
  if (strategies.includes(strategy)) state.strategy = strategy;
  else unknown.push(strategy);
  if (n >= 0) state.recording = n;
  else if (night) unknown.push(night);
  const zoom = /^(\d+)-(\d+)$/.exec(fields.zoom || ""), T = recordings[state.recording].T;
  const isRight = zoom && Number(zoom[1]) < Number(zoom[2]) && Number(zoom[2]) <= T;
  if (fields.zoom && fields.zoom !== "all" && !isRight) unknown.push("zoom " + fields.zoom);
  state.zoom = isRight ? [Number(zoom[1]), Number(zoom[2])] : fields.zoom === "all" ? null : recordings[state.recording].stretch;
  return unknown;
}

/* ---- undo, redo, Back ---- */

let past = [], at = 0, initial = "", shown = "", lastKey = "", lastTime = 0; /* past: rules alone, a change of view is not undone */
const write = (how, hash) => { try { history[how](null, "", hash); } catch (error) { /* a host that forbids it: undo works without */ } };
const view = () => address().slice(rulesAddress().length);
function noteRules(isOne) {
  if (rulesAddress() === past[at]) return;
  if (!isOne) at++;
  past.splice(at, Infinity, rulesAddress());
}
/* After a change; key: of what is dragged or typed, whose changes within a second are one. */
function remember(key) {
  const hash = address(), isOne = key && key === lastKey && Date.now() - lastTime < 1000;
  lastKey = key;
  lastTime = Date.now();
  if (hash === shown) return;
  shown = hash;
  noteRules(isOne);
  write(isOne ? "replaceState" : "pushState", hash);
}
function step(by) {
  if (!past[at + by]) return;
  at += by;
  lastKey = "";
  goTo(past[at] + view());
  shown = address();
  write("replaceState", shown);
}
/* A state that an address says, which is not remembered once more. */
function goTo(hash) {
  const unknown = readAddress(hash);
  parts.unknown = unknown.length ? "Not in this page, left out: " + unknown.join(", ") + ". " : "";
  parts.strategy.value = state.strategy;
  parts.recording.value = String(state.recording);
  schedule();
}
const opened = location.hash; /* with the page; Back to it is Back to the run. Other addresses lead to places in the page and leave the rules alone. */
function follow() {
  const isOfRules = location.hash.startsWith("#rules=");
  if (!isOfRules && location.hash && (location.hash !== opened || !opened.includes("="))) return;
  const hash = isOfRules ? location.hash : initial;
  if (hash === shown) return;
  shown = hash;
  goTo(hash);
  const found = past.indexOf(rulesAddress());
  if (found >= 0) at = found;
  else noteRules(false);
}

/* ---- what was tried ---- */

const TRIED = 12, tried = new Map(); /* at most so many rules, by address: what is said of them, where they lead to, figures of all strategies, costs */
function noteTried() {
  const key = rulesAddress(), list = changes();
  if (!tried.has(key) && tried.size >= TRIED) tried.delete([...tried.keys()][1]); /* not the run */
  if (!tried.has(key)) tried.set(key, { text: list.length ? list.join("; ") : heldOf ? "the rules of the run" : "as in the run", costs: new Map() });
  return Object.assign(tried.get(key), { figures: now.figures, broken: undecodable });
}
function showTried() {
  if (tried.size < 2) {
    fill(parts.tried);
    return;
  }
  const name = state.strategy, own = rulesAddress(), broken = brokenRules();
  const rows = [...tried].map(([key, one]) => {
    const a = one.figures[name], b = run.figures[name], go = el("button", { type: "button", "aria-current": key === own ? "true" : null, click: () => { goTo(key + view()); remember(""); } }, one.text);
    return el("tr", null, el("th", { scope: "row" }, go), ...MEASURES.map(([, key]) => figureCell(a[key], b[key], 4)),
      ...broken.map(([, key]) => figureCell(a[key], b[key], 0)), figureCell(a.changes, b.changes, 0));
  });
  fill(parts.tried, el("h3", null, "Tried so far"), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Rules tried so far" },
    el("table", { class: "what-if-tried", "aria-label": "Rules tried so far" }, el("thead", null, el("tr", null, ...[corner("rules, " + name), ...MEASURES.map(([name]) => [name]), ...broken.map(([name]) => [name]), ["changes"]]
      .map((words, i) => el("th", { scope: "col", class: i ? "n" : "" }, ...words)))), el("tbody", null, ...rows))));
}
