// The section "What if" in headless Chromium: it shows the run's figures, decodes as the program does under rules that are clicked, by
// mouse, touch and keyboard, is accessible (as is "What rules cost"), and leaves the rest of the page alone where WebAssembly is forbidden.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { execFileSync } = require("child_process");

const { need, skip, check, open: openFile, axe, save, layOut, run: runParts } = require("./browser.cjs");
need("axe-core");
if (!fs.existsSync(process.env.STATEPATH_MODULE)) skip("statepath.wasm was not built");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-what-if-"));
const at = (name) => path.join(folder, name);
const demo = path.join(process.env.STATEPATH_SOURCE, "datasets/sleep-demo.h5");
const call = (...args) => execFileSync(process.env.STATEPATH, args, { stdio: ["ignore", "pipe", "inherit"], cwd: folder, maxBuffer: 64 << 20 });
const run = (...args) => call(...args, "-q", "-f");
const json = (name) => JSON.parse(fs.readFileSync(at(name), "utf8"));

run("compare", demo, "--model", "sleep-strict", "--rule-costs", "--report", "demo.html", "--json", "demo.json");
// A weighted model with a prior, fewer recordings, no reference.
fs.writeFileSync(at("weighted.json"), JSON.stringify({
  statepath_model: 1, name: "weighted", classes: ["Wake", "N1", "N2", "N3", "REM"], matrix: Array(5).fill([1, 1, 1, 1, 1]),
  log_weights: [0, 1, 2, 3, 4].map((i) => [0, 1, 2, 3, 4].map((j) => (i === j ? -0.1 : -2.5))), prior: [0.2, 0.1, 0.4, 0.15, 0.15],
}));
run("compare", demo, "--model", "weighted.json", "--report", "weighted.html", "--json", "weighted.json.json", "--what-if", "90000");
const text = fs.readFileSync(at("demo.html"), "utf8");

const open = (browser, name, options, how) =>
  openFile(browser, at(name), Object.assign({ viewport: { width: 1300, height: 900 }, acceptDownloads: true }, options), { name, before: later, ...how });
// What each rule costs is asked for when a page has stood still for a fifth of a second, and takes many decodings: only where it is looked at.
function later() {
  const { setTimeout } = window;
  window.setTimeout = (call, ms, ...rest) => (ms === 200 && !window.showsCosts ? 0 : setTimeout(call, ms, ...rest));
}
async function begin(browser, name, options, hash) {
  const page = await open(browser, name, options, { hash });
  await ready(page);
  if (await page.locator("#what-if-all").count()) await page.locator("#what-if-all").check(); // rows of all classes
  return page;
}
async function ready(page) {
  await page.waitForSelector("#what-if-tool[data-state=ready]");
  await frame(page);
}
// The page loaded anew, with another address.
async function again(page, hash) {
  await page.evaluate((hash) => history.replaceState(null, "", hash), hash);
  await page.reload();
  await ready(page);
}
// The page that parts have in common: as in the run, of the recording and the strategy that it began with, nothing unfolded.
const begun = {};
async function shared(browser, name, showsCosts = false) {
  const page = (begun[name] = begun[name] || (await begin(browser, name)));
  await page.evaluate((showsCosts) => new Promise((done) => {
    window.showsCosts = showsCosts;
    const recording = document.getElementById("what-if-recording"), night = /^\S+/.exec(recording.options[(window.first = window.first || recording.value)].textContent)[0];
    document.activeElement.blur();
    document.querySelectorAll("#what-if-tool details").forEach((fold) => (fold.open = false));
    if (location.hash === "#rules=&night=" + night) done();
    addEventListener("hashchange", done, { once: true });
    location.hash = "#rules=&night=" + night;
  }), showsCosts);
  if (showsCosts) {
    await page.locator("#what-if-strategy").dispatchEvent("change");
    await page.waitForSelector("#what-if-tool[data-costs]");
  }
  await frame(page);
  return page;
}
// Until what was changed is decoded and shown: what the section says then.
const status = (page) => page.evaluate(async () => {
  const next = () => new Promise(requestAnimationFrame), tool = document.getElementById("what-if-tool");
  await next();
  do await next(); while ("busy" in tool.dataset);
  return document.getElementById("what-if-status").textContent;
});
const frame = status;
const inTool = (page, role, name) => page.locator("#what-if-tool").getByRole(role, { name, exact: typeof name === "string" && name.length < 2 });
// The figures that stand there: strategy -> [what leads, accuracy, kappa, illegal, violations, priced, changes, undecoded], without what they differ
// by; 0 of rules that there are none of.
const figures = (page) => page.evaluate(() => {
  const names = [...document.querySelectorAll(".what-if-figures thead th")].map((head) => head.firstChild.textContent), n = names.indexOf("illegal") + 1;
  const complete = (cells) => [...cells.slice(0, n), ...["violations", "priced"].map((name) => cells[names.indexOf(name)] || "0"), ...cells.slice(names.indexOf("changes"))];
  return Object.fromEntries([...document.querySelectorAll(".what-if-figures tbody tr")].map((row) =>
    [row.cells[0].textContent, complete([...row.cells].map((cell) => cell.firstChild.textContent.replace(/,/g, ""))).slice(1)]));
});
const ofRun = (results) => Object.fromEntries(Object.entries(results.strategies).map(([name, s]) =>
  [name, [...(s.entities ? [s.entities.f1.toFixed(4)] : results.preset === "actions" ? [s.f1_at_50.toFixed(4), s.edit_score.toFixed(4)] : []), s.accuracy.toFixed(4), s.kappa.toFixed(4), String(s.illegal), String(s.hard_violations || 0), String(s.priced_violations || 0), String(s.changes), String((s.undecoded || []).length)]]));

async function asInRun(browser) {
  const page = await shared(browser, "demo.html");
  check((await status(page)) === "As in the run: nothing is changed yet.", "at first all is as in the run");
  const found = await figures(page), right = ofRun(json("demo.json"));
  for (const name of Object.keys(right))
    check(JSON.stringify(found[name]) === JSON.stringify(right[name]), `untouched figures of ${name}: ${found[name]}, the run has ${right[name]}`);
  check(found.reference[2] === String(json("demo.json").reference.illegal), "illegal transitions of the reference: " + found.reference[2]);
  const caption = await page.textContent("#what-if-tool figcaption"), [, first, last] = /epochs ([\d,]+) to ([\d,]+)\./.exec(caption).map((n) => Number(n.replace(/,/g, "")));
  await inTool(page, "button", "+").click();
  await frame(page);
  const [, from, to] = /zoom=(\d+)-(\d+)/.exec(await page.evaluate(() => location.hash)).map(Number), middle = (first + last) / 2;
  check(last - first === 79 && Math.abs((from + to + 1) / 2 - middle) < 1, `the caption counts epochs from 1, the address from 0: ${caption}, ${from} to ${to}`);
  await page.getByText("Confusion now", { exact: true }).click();
  await page.locator("table.matrix", { hasText: "Confusion of viterbi" }).waitFor(); // a fold tells that it is open in a task of its own
  const matrix = await page.locator("table.matrix", { hasText: "Confusion of viterbi" }).locator("tbody td").allTextContents();
  check(JSON.stringify(matrix.map((n) => Number(n.replace(/,/g, "")))) === JSON.stringify(json("demo.json").strategies.viterbi.confusion.flat()), "the confusion matrix is the run's: " + matrix);
}

// The mark of work that is not shown yet stays while a change waits for its frame, also where an earlier change is shown meanwhile.
async function busy(browser) {
  const page = await shared(browser, "demo.html");
  const wrong = await page.evaluate(async () => {
    const tool = document.getElementById("what-if-tool"), cells = tool.querySelectorAll(".what-if-rules td button"), real = window.requestAnimationFrame;
    const isBusy = () => "busy" in tool.dataset, status = () => document.getElementById("what-if-status").textContent;
    const shown = () => new Promise((done) => { const observer = new MutationObserver(() => { observer.disconnect(); done(); }); observer.observe(tool.querySelector("figure"), { childList: true }); });
    let frames = [];
    window.requestAnimationFrame = (call) => frames.push(call);
    cells[7].click();
    const first = frames;
    frames = [];
    first.forEach((call) => call()); // the first change is decoded ...
    const before = status();
    cells[8].click(); // ... when the second is made, whose frame is late
    for (let i = 0; i < 100 && status() === before; i++) await shown();
    await new Promise((done) => setTimeout(done, 300));
    const wrong = isBusy() ? [] : ["busy ends before the second change is decoded"];
    window.requestAnimationFrame = real;
    frames.forEach((call) => call());
    while (isBusy()) await new Promise((done) => setTimeout(done));
    if (!/now differ/.test(status())) wrong.push(status());
    return wrong;
  });
  check(wrong.length === 0, wrong.join("; "));
}

// What a violation of a rule over more steps costs is a field; in the address, in words, in the model, undone.
async function prices(browser) {
  const page = await shared(browser, "priced.html"), field = inTool(page, "spinbutton", "n3: at_most 6 runs of N3"), second = inTool(page, "spinbutton", "rule2");
  check((await field.inputValue()) === "0.5" && (await second.inputValue()) === "", "the fields show what the run had");
  await field.fill("4");
  await second.fill("0");
  check(/now differ/.test(await status(page)), "a price decodes: " + (await status(page)));
  const found = await figures(page), hash = new URL(page.url()).hash, drawn = await page.locator("#what-if-tool figure").innerHTML();
  check(hash.startsWith("#rules=&price=n3:4,rule2:0&"), "the address says prices: " + hash);
  check((await page.locator(".what-if-tried [aria-current=true]").textContent()) === "n3 costs 4 a violation; rule2 costs 0 a violation", "and the list of what was tried");
  const model = await saveModel(page);
  check(JSON.stringify(json(model).rules) === JSON.stringify([{ name: "n3", rule: "at_most 6 runs of N3", cost: 4 }, { rule: "never REM Wake REM", cost: 0 }]), "the model says them: " + JSON.stringify(json(model).rules));
  run("compare", demo, "--model", model, "--json", "changed.json", "--strategies", "argmax,greedy,viterbi,mea");
  const theirs = ofRun(json("changed.json"));
  for (const name of Object.keys(theirs)) check(JSON.stringify(found[name]) === JSON.stringify(theirs[name]), `priced, ${name}: page ${found[name]}, program ${theirs[name]}`);
  const sent = await begin(browser, "priced.html", {}, hash);
  check((await sent.locator("#what-if-tool figure").innerHTML()) === drawn, "a second browser shows the same");
  await sent.evaluate(() => (location.hash = "#rules=&price=n9:1,n3:-1,rule2:x"));
  check((await status(sent)).startsWith("Not in this page, left out: n9:1, n3:-1, rule2:x. "), "prices that are none are named: " + (await status(sent)));
  await sent.context().close();
  await field.fill("-2");
  check((await field.getAttribute("aria-invalid")) === "true" && (await page.textContent("#what-if-dwell")) === "n3: needs a number from 0, or nothing where it is never broken; 4 still counts.", "what is no price is not taken");
  await field.blur();
  check((await field.inputValue()) === "4" && (await page.textContent("#what-if-dwell")) === "", "and gone when one leaves the field");
  await inTool(page, "button", "Undo").click();
  check((await second.inputValue()) === "" && (await field.inputValue()) === "4", "undone one by one");
  await inTool(page, "button", "Back to the run").click();
  await frame(page);
  check((await status(page)).startsWith("As in the run"), "back to the run");
}

// Names that a screen reader says; a cell by mouse, back by the button; what cannot be decoded with is said.
async function byMouse(browser) {
  const page = await shared(browser, "demo.html");
  const cell = (name) => inTool(page, "button", name);
  await cell("Wake to N2: forbidden").click();
  check(/^\d+ epochs of viterbi in \d+ nights now differ from the run: \d+ now right, \d+ now wrong, \d+ neither\.$/.test(await status(page)), "a click decodes: " + (await status(page)));
  check((await cell("Wake to N2: allowed, changed").getAttribute("aria-pressed")) === "true", "the cell says that it is allowed, and changed");
  check((await page.locator("#what-if-status[role=status]").textContent()).includes("now differ"), "what changed is a live region");
  await inTool(page, "button", "Back to the run").click();
  check((await status(page)).startsWith("As in the run"), "back to the run");
  await cell("Start in Wake: allowed").click();
  await frame(page);
  check((await cell("Start in Wake: forbidden, changed").count()) === 1, "a start can be forbidden");
  await inTool(page, "button", "Back to the run").click();
  await inTool(page, "spinbutton", "Epochs that N2 stays at least").fill("5");
  check(/now differ/.test(await status(page)), "a minimum dwell decodes");
  await cell("N2 stays: allowed").click();
  check(/"N2": must stay for 5 steps, but N2 -> N2 is forbidden/.test(await status(page)), "rules that contradict themselves: " + (await status(page)));
  check(await inTool(page, "button", "Model as JSON").isDisabled(), "and are not saved");
  await inTool(page, "button", "Back to the run").click();
  check((await figures(page)).viterbi[0] === ofRun(json("demo.json")).viterbi[0], "the figures are the run's again");
  check((await page.getByRole("slider").count()) === 0, "without weights no slider would move anything");
  const weighted = await shared(browser, "weighted.html");
  for (const name of ["Temperature", "Transition weight", "Prior weight"]) {
    const slider = weighted.getByRole("slider", { name }), seen = new Set();
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    await weighted.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await weighted.mouse.down();
    for (const part of [0.6, 0.75, 0.9]) {
      await weighted.mouse.move(box.x + box.width * part, box.y + box.height / 2);
      await frame(weighted);
      seen.add(JSON.stringify(await figures(weighted)));
    }
    check(seen.size === 3, `figures follow the slider ${name} while it is dragged: ${seen.size}`);
    await weighted.mouse.up();
    await inTool(weighted, "button", "Back to the run").click();
  }
  await cell("N1 to REM: forbidden").click();
  await inTool(page, "combobox", "Strategy").selectOption("greedy");
  check((await status(page)).includes("of greedy"), "another strategy is chosen");
  await inTool(page, "combobox", "Night").selectOption({ index: 3 });
  check((await page.locator("#what-if-tool figure .track").count()) === 5, "reference, argmax, run, now and the axis are drawn");
}

// What is set stands in the address: it is sent, taken back by Undo and by Back, and listed.
async function addressed(browser) {
  const page = await begin(browser, "demo.html"), hash = () => new URL(page.url()).hash;
  const seen = async (other) => JSON.stringify([await status(other), await figures(other), await other.locator("#what-if-tool figure").innerHTML()]);
  const first = await seen(page);
  await inTool(page, "button", "Wake to N2: forbidden").click();
  await frame(page);
  const one = hash(), afterOne = await seen(page);
  check(/^#rules=\+Wake\.N2&night=[^&]+&zoom=\d+-\d+$/.test(one), "the address says what is allowed: " + one);
  await inTool(page, "spinbutton", "Epochs that N2 stays at least").fill("5");
  await inTool(page, "combobox", "Strategy").selectOption("greedy");
  await frame(page);
  const two = hash(), afterTwo = await seen(page);
  check(two.includes("&dwell=N2:5&strategy=greedy&"), "lengths and the strategy too: " + two);
  const sent = await begin(browser, "demo.html", {}, two);
  check((await seen(sent)) === afterTwo, "a second browser shows the same");
  check((await sent.locator(".what-if-tried tbody th").allTextContents()).join() === "as in the run," + (await page.locator(".what-if-tried [aria-current=true]").textContent()), "and says what is other than in the run");
  check((await page.locator(".what-if-tried tbody tr").count()) === 3, "three sets of rules were tried");
  await page.locator(".what-if-tried button").first().click();
  check((await seen(page)).includes("As in the run"), "one of them is a click away");
  await page.goBack();
  check((await seen(page)) === afterTwo, "Back returns to what was set before");
  await page.evaluate(() => { location.hash = "#methods"; });
  check((await seen(page)) === afterTwo, "a link to another section leaves the rules alone");
  await page.goBack();
  check((await seen(page)) === afterTwo, "and so does Back from there");
  const strategy = inTool(page, "combobox", "Strategy");
  await inTool(page, "button", "Undo").click();
  check((await status(page)).includes("of greedy") && !hash().includes("dwell"), "the length is undone, the strategy is a view and stays: " + hash());
  await strategy.selectOption("viterbi");
  check((await seen(page)) === afterOne && hash() === one, "as after the first change");
  await inTool(page, "button", "Redo").click();
  await frame(page);
  check(hash().includes("dwell=N2:5") && !hash().includes("greedy"), "redone, although the view changed meanwhile: " + hash());
  await inTool(page, "button", "Undo").click();
  await inTool(page, "button", "Undo").click();
  check((await status(page)).startsWith("As in the run") && (await inTool(page, "button", "Undo").isDisabled()), "undone to the run");
  await inTool(page, "button", "Redo").click();
  await inTool(page, "button", "Back to the run").click();
  await inTool(page, "combobox", "Strategy").selectOption("viterbi");
  check((await seen(page)) === first, "back to the run all is as at first");
  const marked = () => page.locator("#what-if-tool figure .track", { hasText: "argmax" }).locator("use[href='#ill']").count();
  check((await marked()) > 0, "argmax breaks rules in the stretch that is shown");
  await inTool(page, "button", /^\w+ to \w+: forbidden/).evaluateAll((all) => all.forEach((button) => button.click()));
  await frame(page);
  check(!/: forbidden/.test((await page.locator(".what-if-rules tbody tr:not(:first-child) button").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label")))).join()), "all are allowed");
  check((await figures(page)).argmax[2] === "0" && (await marked()) === 0, "what is allowed now is marked no more: " + (await figures(page)).argmax + ", " + (await marked()));
  await again(sent, "#rules=+Wake.N9,-N2.N2,x&dwell=N1:0&strategy=best&night=r99&zoom=9-3&colour=red&rules=");
  check((await status(sent)).startsWith("Not in this page, left out: colour=red, rules=, +Wake.N9, x, N1:0, best, r99, zoom 9-3. "), "what an address cannot mean is said: " + (await status(sent)));
  await sent.context().close();
  const votes = await shared(browser, "votes.html");
  await votes.evaluate(() => (location.hash += "&strategy=posterior-viterbi"));
  await frame(votes);
  const offered = votes.locator("#what-if-strategy");
  check((await offered.inputValue()) === "posterior-viterbi", "an address names any strategy: " + (await offered.inputValue()));
  check((await offered.locator("option").allTextContents()).join() === each, "all are offered: " + (await offered.locator("option").allTextContents()));
  await page.context().close();
}

// Tokens stand as words, entities in the colour of their class, whichever file the words come from.
async function words(browser) {
  const sentences = [["Ada", "B-PER", "Lovelace", "I-PER", "saw", "O", "Paris", "B-LOC"], ["<b>", "O", "New", "B-LOC", "York", "I-LOC"]];
  const classes = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], scores = [], rows = [];
  for (const words of sentences) {
    for (let i = 0; i < words.length; i += 2) {
      scores.push(classes.map((name) => (name === words[i + 1] ? 2 : 0)));
      rows.push(words[i] + " " + words[i + 1]);
    }
    rows.push("");
  }
  scores[1] = [0, 0, 1, 0, 1.5]; // argmax: B-PER, I-LOC
  fs.writeFileSync(at("gold.conll"), rows.join("\n") + "\n");
  fs.writeFileSync(at("spoken.csv"), "recording," + classes.join() + "\n" + scores.map((row, t) => (t < 4 ? "a," : "b,") + row.join()).join("\n") + "\n");
  fs.writeFileSync(at("two.model.json"), run("model", "new", "bio", "--types", "PER,LOC"));
  run("compare", "spoken.csv", "--kind", "logits", "--labels", "gold.conll", "--model", "two.model.json", "--report", "words.html");
  const page = await begin(browser, "words.html"), lines = () => page.locator("#what-if-tool .what-if-words").evaluateAll((all) => all.map((p) => p.textContent.replace(/\s+/g, " ").trim()));
  check(JSON.stringify(await lines()) === JSON.stringify(["Ada Lovelace PER saw Paris LOC", "Ada PER \u25b2Lovelace I-LOC saw Paris LOC", "Ada Lovelace PER saw Paris LOC"]), "the words of the reference, argmax and Viterbi: " + (await lines()));
  check((await page.locator("#what-if-tool .what-if-words .wrong").allTextContents()).join() === "Lovelace", "the wrong word is underlined");
  await inTool(page, "combobox", "Sentence").selectOption({ index: 1 });
  await frame(page);
  check((await lines())[0] === "<b> New York LOC", "a word is never markup: " + (await lines()));
  await page.context().close();
}

// Each forbidden cell says what allowing it alone would gain: as the model that allows it does.
async function costs(browser) {
  const page = await shared(browser, "demo.html", true);
  const cells = page.locator(".what-if-rules td button.off"), n = await cells.count(), before = Number(json("demo.json").strategies.viterbi.accuracy);
  check(n === 11, n + " forbidden cells");
  const seen = await cells.evaluateAll(async (cells) => {
    const tool = document.getElementById("what-if-tool"), said = cells.map((cell) => cell.querySelector("small").textContent.replace("\u2212", "-")), seen = [];
    for (const [i, cell] of cells.entries()) {
      cell.click();
      do await new Promise(requestAnimationFrame); while ("busy" in tool.dataset);
      seen.push([said[i], Number(tool.querySelector(".what-if-figures tr.chosen td").firstChild.textContent), cell.getAttribute("aria-pressed"), tool.querySelectorAll(".what-if-rules td .moved").length]);
      cell.click();
    }
    return seen;
  });
  seen.forEach(([gain, after, pressed, moved], i) => check(gain !== "" && Math.abs(100 * (after - before) - Number(gain)) < 0.011 && pressed === "true" && moved === 1,
    `cell ${i} says ${gain}, and allowing it changes accuracy by ${100 * (after - before)}; ${moved} cells are other than in the run`));
}

// The stretches where rules do harm, the worst first: what the caption counts is what is drawn, and what the pointer reads too.
async function harm(browser) {
  const page = await shared(browser, "demo.html", true), button = inTool(page, "button", "Where rules do harm"), nets = [];
  const inSight = () => page.evaluate(() => [...document.querySelectorAll("#what-if-tool figure .track")].slice(0, 3).map((track) => {
    const path = [];
    track.querySelectorAll("path[data-k]").forEach((shape) => [...shape.getAttribute("d").matchAll(/M(\d+) [\d.]+h(\d+)v/g)].forEach(([, from, length]) =>
      path.fill.call((path.length = Math.max(path.length, Number(from) + Number(length)), path), Number(shape.dataset.k), Number(from), Number(from) + Number(length))));
    return path;
  }));
  const marked = (...asked) => page.evaluate((asked) => asked.map(([row, name]) => [...document.querySelectorAll("#what-if-tool figure .track")[row].querySelector(".what-if-" + name)
    .getAttribute("d").matchAll(/M\d+ [\d.]+h(\d+)v/g)].reduce((sum, one) => sum + Number(one[1]), 0)), asked);
  for (let place = 1; place <= 10; place++) {
    await button.click();
    await frame(page);
    const caption = await page.textContent("#what-if-tool figcaption"), [reference, plain, ruled] = await inSight();
    const said = /Place (\d+) of (\d+) where rules do harm\. Here viterbi has (\d+) epochs? wrong that argmax has right, and (\d+) right that it has wrong\./.exec(caption);
    if (!check(said && Number(said[1]) === place && said[2] === "10", "the caption says which place it is: " + caption)) break;
    const lost = reference.filter((k, t) => k === plain[t] && k !== ruled[t]).length, gained = reference.filter((k, t) => k !== plain[t] && k === ruled[t]).length;
    check(reference.length >= 79 && lost === Number(said[3]) && gained === Number(said[4]), `of ${reference.length} steps ${lost} are lost, ${gained} gained: ${caption}`);
    const wrong = reference.filter((k, t) => typeof k === "number" && k !== ruled[t]).length, strips = await marked([1, "harm"], [2, "harm"], [2, "strip"]);
    check(strips.join() === [gained, lost, wrong].join(), `strips of ${strips} steps: what only argmax has wrong, only viterbi, and all that viterbi has wrong are ${gained}, ${lost}, ${wrong}`);
    nets.push(lost - gained);
  }
  check(nets.every((n, i) => n > 0 && (!i || n <= nets[i - 1])), "the worst comes first: " + nets);
  await button.click();
  await frame(page);
  check((await page.textContent("#what-if-tool figcaption")).includes("Place 1 of 10"), "after the last comes the first");
  await page.waitForFunction(() => / costs most/.test(document.querySelector(".what-if-set").textContent));
  const costs = await page.locator(".what-if-rules td button.off").evaluateAll((list) => list.map((b) => [Number(b.lastChild.textContent.replace("\u2212", "-")), b.getAttribute("aria-label")]));
  const most = Math.max(...costs.map(([gain]) => gain)), told = /(\S+) \u2192 (\S+) costs most/.exec(await page.textContent(".what-if-set"));
  check(told && costs.some(([gain, label]) => gain === most && label.startsWith(`${told[1]} to ${told[2]}:`)), `the costliest rule is named: ${told}, ${costs}`);
  await inTool(page, "button", "N2 to Wake: forbidden").click();
  for (let place = 1; place <= 3; place++) { // under other rules the list is another, and goes on, too
    await button.click();
    await frame(page);
    const caption = await page.textContent("#what-if-tool figcaption");
    check(caption.includes(`Place ${place} of `) && caption.includes("Here viterbi now has "), `with a rule changed: ${caption}`);
    const [, told] = /, (\d+) differ/.exec((await page.textContent("#what-if-tool figure")).replace(/,(?=\d)/g, ""));
    check((await marked([3, "changed"]))[0] <= Number(told), `no more steps are marked as changed than differ in the whole night: ${told}`);
  }
  await inTool(page, "button", "Back to the run").click();
  await button.click();
  await frame(page);
  const rows = page.locator("#what-if-tool figure .track .rows").nth(1), box = await rows.locator("svg").first().boundingBox(), names = json("demo.json").model.classes;
  await rows.locator("svg").first().hover({ position: { x: box.width * 0.505, y: box.height / 2 } });
  const read = await page.textContent(".what-if-read"), [reference, plain, ruled] = await inSight(), from = Number(/zoom=(\d+)/.exec(await page.evaluate(() => location.hash))[1]);
  const wanted = `epoch ${(from + 41).toLocaleString("en-US")}: reference ${names[reference[40]]}, argmax ${names[plain[40]]}, viterbi ${names[ruled[40]]}`;
  check(read.endsWith(wanted), `the pointer reads ${read}, there is ${wanted}`);
}

// The field shows the number that counts, or is marked, with a sentence, until one leaves it.
async function dwells(browser) {
  const page = await shared(browser, "demo.html"), field = inTool(page, "spinbutton", "Epochs that N2 stays at least");
  const told = () => page.textContent("#what-if-dwell"), marked = () => field.getAttribute("aria-invalid");
  await field.fill("3");
  check(/now differ/.test(await status(page)) && (await marked()) === "false" && (await told()) === "", "a whole number counts");
  for (const typed of ["0", "", "1000", "3.9", "-2"]) {
    const before = await status(page);
    await field.fill(typed);
    check((await marked()) === "true" && (await told()) === "N2 stays at least: needs a whole number from 1 to 999; 3 still counts.", `"${typed}" is refused: ` + (await told()));
    check((await status(page)) === before, `"${typed}" changes nothing`);
    await field.blur();
    check((await field.inputValue()) === "3" && (await marked()) === "false" && (await told()) === "", `"${typed}" gives way to the number that counts`);
  }
  await field.fill("0");
  check(json(await saveModel(page)).min_dwell.N2 === 3 && (await field.inputValue()) === "3", "what is saved is what stands there");
  const most = inTool(page, "spinbutton", "Epochs that N2 stays at most");
  await most.fill("9");
  const saved = json(await saveModel(page));
  check(saved.durations.N2.min === 3 && saved.durations.N2.max === 9 && !saved.min_dwell, "a greatest length makes it a duration: " + JSON.stringify(saved));
  await most.fill("2");
  check(/has min 3 steps above max 2 steps/.test(await status(page)), "no length is at least 3 and at most 2: " + (await status(page)));
  await most.fill("");
  check(json(await saveModel(page)).min_dwell.N2 === 3, "any length again");
  await field.fill("1e1");
  await frame(page);
  check((await field.inputValue()) === "10", "a number of another form is shown as it counts");
}

async function byKeyboard(browser) {
  const page = await shared(browser, "demo.html");
  await inTool(page, "group", "The rules").focus();
  await page.keyboard.press("Tab");
  const name = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  check((await name()) === "Start in Wake: allowed", "the first cell is the next stop: " + (await name()));
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  check((await name()).startsWith("Wake to N2: forbidden"), "arrows go from cell to cell: " + (await name()));
  await page.keyboard.press("Space");
  check(/now differ/.test(await status(page)) && (await name()) === "Wake to N2: allowed, changed", "the space bar allows, and the cell keeps the focus");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  check((await name()) === "Start in N2: allowed", "no further than the edge: " + (await name()));
  await page.keyboard.press("Tab");
  check((await name()) === "Epochs that Wake stays at least", "cells are one stop: " + (await name()));
  await page.keyboard.press("ArrowUp");
  check((await page.inputValue("input[type=number]")) === "2", "an arrow lengthens the stay");
  const weighted = await shared(browser, "weighted.html"), before = JSON.stringify(await figures(weighted));
  await inTool(weighted, "slider", "Temperature").focus();
  for (let i = 0; i < 25; i++) await weighted.keyboard.press("ArrowRight");
  await frame(weighted);
  check(JSON.stringify(await figures(weighted)) !== before, "arrows move the temperature");
}

async function byTouch(browser) {
  const page = await begin(browser, "demo.html", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const cell = inTool(page, "button", "REM to N1: forbidden");
  const box = await cell.boundingBox();
  check(box.width >= 24 && box.height >= 24, `a cell is large enough for a finger: ${box.width} x ${box.height}`);
  await cell.tap();
  check(/now differ/.test(await status(page)), "a tap allows: " + (await status(page)));
  await page.context().close();
}

// The model that is saved, given to the program, gives the paths and figures that the page shows. STATEPATH_LONG: under 200 changes of each
// set of data, or of those that STATEPATH_SETS names; else a few.
const isLong = !!process.env.STATEPATH_LONG;
const each = "argmax,greedy,beam:3,viterbi,posterior,mea,posterior-viterbi,online:5";
const recipes = require("./recipes.cjs"), sets = [{ name: "demo", file: demo }];
function addSet(name, file, ...options) {
  run("compare", file, ...options, "--report", name + ".html", "--json", name + ".json", "--what-if", "10000000");
  sets.push({ name, file });
}
// A page as it is made, which holds a part of its file: the program decodes that part alone.
function addPart(name, file, ...options) {
  const held = name + ".held.h5";
  run("compare", file, ...options, "--report", name + ".html");
  execFileSync(process.env.STATEPATH_PYTHON || "python3", [path.join(__dirname, "held.py"), name + ".html", file, held], { cwd: folder, stdio: "inherit" });
  run("compare", held, ...options, "--json", name + ".json");
  sets.push({ name, file, held });
}
function writeArray(name, dtype, shape, bytes) { // numpy's .npy
  const head = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`.padEnd(117) + "\n";
  fs.writeFileSync(at(name), Buffer.concat([Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"), Buffer.from(head), Buffer.from(bytes.buffer)]));
}
// Of each step the shares of five raters, a vote each added, who judge one of the classes twice as often as each other one.
function writeVotes(n, T) {
  let seed = 3;
  const draw = (k) => (seed = (seed * 48271) % 2147483647) % k;
  for (const folder of ["votes", "judged"]) fs.mkdirSync(at(folder));
  for (let r = 0; r < n; r++) {
    const probs = new Float64Array(5 * T), labels = new Int8Array(T);
    for (let t = 0; t < T; t++) {
      labels[t] = t && draw(4) ? labels[t - 1] : draw(5);
      const votes = [0, 0, 0, 0, 0];
      for (let v = 0; v < 5; v++) votes[Math.min(draw(6), 5) % 5 === 0 || draw(2) ? labels[t] : draw(5)]++;
      votes.forEach((count, k) => { probs[5 * t + k] = (count + 1) / 10; });
    }
    writeArray(`votes/n${r}.npy`, "<f8", [T, 5], probs);
    writeArray(`judged/n${r}.npy`, "|i1", [T], labels);
  }
}
{
  const steps = ["pour", "stir", "cut", "wash", "open", "close"].flatMap((what) => [what + " cup", what + " bowl"]);
  const [actions, rules] = recipes("actions", ["background", ...steps], 6, [200, 500], 0.95);
  const strict = JSON.parse(fs.readFileSync(path.join(process.env.STATEPATH_SOURCE, "models/sleep-strict.model.json"), "utf8"));
  for (const [name, value] of [["actions.recipe.json", actions], ["actions.model.json", rules], ["dwelling.model.json", Object.assign(strict, { min_dwell: { N1: 2, REM: 4 } })],
                               ["tags.recipe.json", recipes.tags("tags", ["PER", "LOC", "ORG", "EVENT"], 30, [5, 40])]])
    fs.writeFileSync(at(name), JSON.stringify(value));
  for (const name of ["actions", "tags"]) run("simulate", name + ".recipe.json", "-o", name + ".h5");
  fs.writeFileSync(at("tags.model.json"), run("model", "new", "bio", "--types", "PER,LOC,ORG,EVENT"));
  run("fit", demo, "--rules", "dwelling.model.json", "--penalty", "1", "--tune", "none", "-o", "fitted.model.json");
  run("fit", demo, "--rules", "sleep-strict", "--memory", "3", "--penalty", "30", "--tune", "none", "-o", "memory.model.json");
  writeVotes(8, 600);
  run("convert", "votes", "--labels", "judged", "--model", "sleep-strict", "-o", "votes.h5");
  addSet("votes", "votes.h5", "--model", "sleep-strict", "--strategies", each); // ties at nearly every step
  addSet("actions", "actions.h5", "--model", "actions.model.json");
  addSet("tags", "tags.h5", "--model", "tags.model.json", "--strategies", each);
  addSet("fitted", demo, "--model", "fitted.model.json"); // learned weights, minimum dwells
  addSet("priced", demo, "--model", "sleep-strict", "--rule", "n3=0.5: at_most 6 runs of N3", "--rule", "never REM Wake REM", "--strategies", "argmax,greedy,viterbi,mea");
  addSet("memory", demo, "--model", "memory.model.json", "--strategies", "argmax,viterbi,mea,posterior"); // more states than classes
  const { inputs } = require("./pages.cjs")(folder);
  for (const name of isLong ? ["hundred", "classes59"] : []) addSet(name, ...inputs[name]());
  for (const name of isLong ? ["thousands", "day28"] : []) addPart(name, ...inputs[name]());
}

// Paths as the page draws them: "strategy recording" -> class or -1 of each step. A class has a lane of its own. Each change looks at a third of
// the paths, of many changes at some two dozen, the next one at others; figures are of all of them. The recording that is chosen is decoded and drawn
// before the others; meanwhile nothing is laid out, no frame of the screen is waited for, and the address stays.
const drawn = (page, change) => page.evaluate(async ([change, isLong]) => {
  const { strategies, recordings } = JSON.parse(document.getElementById("what-if-settings").textContent), found = {}, tool = document.getElementById("what-if-tool"), figure = tool.querySelector("figure");
  const choose = (id, value) => {
    const select = document.getElementById(id);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const ids = [...document.getElementById("what-if-recording").options].map((option) => option.textContent.replace(/ \u2013 .*/, "")), asked = document.getElementById("what-if-strategy").value;
  const all = [...tool.querySelectorAll("button")].find((button) => button.textContent === "All"), real = window.requestAnimationFrame, turn = new MessageChannel(), waiting = [];
  turn.port1.onmessage = () => waiting.splice(0).forEach((call) => call());
  window.requestAnimationFrame = (call) => { waiting.push(call); turn.port2.postMessage(0); };
  const main = document.querySelector("main");
  main.style.display = "none";
  history.pushState = () => {};
  const stride = isLong ? Math.ceil((strategies.length * ids.length) / 24) : 3;
  for (const [s, name] of strategies.entries()) {
    for (const [i, id] of ids.entries()) {
      if ((s * ids.length + i + change) % stride) continue;
      const isDrawn = new Promise((done) => new MutationObserver((changes, observer) => { observer.disconnect(); done(); }).observe(figure, { childList: true }));
      choose("what-if-strategy", name);
      choose("what-if-recording", i);
      all.click();
      await isDrawn;
      const n = recordings.find((one) => one[0] === id)[1], tracks = [...figure.querySelectorAll(".track")];
      const path = (found[name.split(":")[0] + " " + id] = new Array(n).fill(-1)), shapes = tracks[tracks.length - 2].querySelectorAll("path[data-k]");
      shapes.forEach((shape) => [...shape.getAttribute("d").matchAll(/M(\d+) ([\d.]+)h(\d+)v/g)].forEach(([whole, from, y, length]) =>
        path.fill(Number(shape.dataset.k), Number(from), Number(from) + Number(length))));
    }
  }
  main.style.display = "";
  delete history.pushState;
  window.requestAnimationFrame = real;
  choose("what-if-strategy", asked);
  do await new Promise((done) => setTimeout(done)); while ("busy" in tool.dataset);
  return found;
}, [change, isLong]);

// The same of a file that the program wrote: recording,step,strategy,...
function written(name, classes) {
  const [head, ...rows] = fs.readFileSync(at(name), "utf8").trim().split("\n").map((line) => line.split(",")), found = {};
  for (const row of rows)
    for (let s = 2; s < head.length; s++) (found[head[s] + " " + row[0]] = found[head[s] + " " + row[0]] || []).push(classes.indexOf(row[s]));
  return found;
}

// One to four cells of the rules, now and then a stay and a slider, all by the numbers that follow a seed: the next seed.
const changeRules = (page, seed, withStays) => page.evaluate(([seed, withStays]) => {
  const draw = (n) => (seed = (seed * 48271) % 2147483647) % n, tool = document.getElementById("what-if-tool"), all = (selector) => [...tool.querySelectorAll(selector)];
  const fill = (input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  all("button").find((button) => button.textContent === "Back to the run").click();
  const cells = all(".what-if-rules td button"), stays = all(".what-if-rules input[type=number]");
  for (let k = 1 + draw(4); k > 0; k--) cells[draw(cells.length)].click();
  if (withStays) fill(stays[draw(stays.length)], 1 + draw(4));
  for (const price of all(".what-if-price input")) if (draw(2)) fill(price, ["", "0", "0.25", "3"][draw(4)]);
  for (const slider of all("#what-if-temperature, #what-if-transitionWeight, #what-if-priorWeight")) if (draw(2)) fill(slider, draw(200));
  return seed;
}, [seed, withStays]);

// What the button saves: the name of the file.
async function saveModel(page) {
  const [name, bytes] = await save(page, inTool(page, "button", "Model as JSON"));
  fs.writeFileSync(at(name), bytes);
  return name;
}

async function asProgram(browser) {
  const times = Number(process.env.STATEPATH_CHANGES) || (isLong ? 200 : 3);
  let seed = 7;
  const asked = process.env.STATEPATH_SETS; // some of them
  for (const set of sets.filter(({ name }) => !asked || asked.split(",").includes(name))) {
    const page = await shared(browser, set.name + ".html"), untouched = await figures(page), right = ofRun(json(set.name + ".json")), began = Date.now();
    for (const name of Object.keys(right))
      check(JSON.stringify(untouched[name]) === JSON.stringify(right[name]), `${set.name}, untouched, ${name}: page ${untouched[name]}, program ${right[name]}`);
    let compared = 0, steps = 0;
    for (let i = 0; compared < times && i < 3 * times; i++) {
      seed = await changeRules(page, seed, i % 2);
      if ((await status(page)).startsWith("These rules")) continue;
      const model = await saveModel(page), command = await page.locator("#what-if-tool details code").textContent();
      check(json(model).description.includes("changed in the report on " + path.basename(set.file) + ": "), "the model says what was changed");
      check(command.includes(model), "the command names the file: " + command);
      try {
        run("compare", set.held || set.file, "--model", model, "--json", "changed.json", "-o", "changed.csv", "--strategies", Object.keys(right).join());
      } catch (error) {
        check(error.status === 3, `the program refuses what the page decoded: ${error.status}`);
      }
      const found = await figures(page), changed = ofRun(json("changed.json"));
      for (const strategy of Object.keys(changed))
        check(JSON.stringify(found[strategy]) === JSON.stringify(changed[strategy]), `change ${i} of ${set.name}, ${strategy}: page ${found[strategy]}, program ${changed[strategy]}`);
      const paths = await drawn(page, compared), theirs = written("changed.csv", json(set.name + ".json").model.classes);
      check(Object.keys(paths).length >= (isLong ? Math.min(12, Object.keys(theirs).length) : Math.floor(Object.keys(theirs).length / 3)),
            `change ${i} of ${set.name}: ${Object.keys(paths).length} paths in the page`);
      const differ = Object.keys(paths).filter((key) => JSON.stringify(paths[key]) !== JSON.stringify(theirs[key]));
      check(differ.length === 0, `change ${i} of ${set.name}: other paths of ${differ.slice(0, 3)}`);
      steps += Object.values(paths).reduce((sum, path) => sum + path.length, 0);
      if (compared++ >= 4) continue;
      if (set.file === demo) fs.copyFileSync(demo, at("sleep-demo.h5"));
      execFileSync("sh", ["-c", "statepath() { \"$STATEPATH\" \"$@\"; }; " + command + " -f -q || [ $? = 3 ]"], { cwd: folder, stdio: "inherit" });
    }
    check(compared === times, `${set.name}: ${compared} of ${times} changes were compared`);
    console.log(`${set.name}: ${compared} changes of the rules, ${steps} steps of all strategies as in the program, ${Math.round((Date.now() - began) / 1000)} seconds`);
    if (!["demo", "priced"].includes(set.name)) {
      await page.context().close();
      delete begun[set.name + ".html"];
    }
  }
  // Of fewer recordings than the run had, with a prior: the model is one that the program takes.
  const page = await shared(browser, "weighted.html");
  for (let i = 0; i < 5; i++) {
    seed = await changeRules(page, seed, i % 2);
    if (!(await status(page)).startsWith("These rules")) call("model", "check", await saveModel(page));
  }
}

// A host that sends a stricter policy.
async function forbidden(browser) {
  const page = await open(browser, "demo.html", {}, { isSilent: false });
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(text)[1].replace(" 'wasm-unsafe-eval'", "");
  check(!policy.includes("wasm"), "the stricter policy does not let WebAssembly run");
  await page.route("http://host.test/**", (route) => route.fulfill({ body: text, contentType: "text/html", headers: { "content-security-policy": policy } }));
  await page.goto("http://host.test/page.html");
  await page.waitForSelector("#what-if-tool[data-state=refused]");
  check(/a page may not run WebAssembly/.test(await page.textContent("#what-if-note")), "the section says so: " + (await page.textContent("#what-if-note")));
  const table = page.locator("section[aria-labelledby=recordings] table").first();
  await table.locator("thead th:nth-child(5) button").click();
  check((await table.locator("thead th:nth-child(5)").getAttribute("aria-sort")) === "ascending", "the rest of the page works");
  await page.context().close();
  const bare = await open(browser, "demo.html", { javaScriptEnabled: false });
  check(/With scripts switched on/.test(await bare.textContent("#what-if-note")) && (await bare.locator("#what-if-tool figure .track").count()) === 4, "without script the section says what it needs, and has a picture");
  check((await bare.locator("#what-if-note").isVisible()) && (await bare.textContent("section[aria-labelledby=what-if]")).includes("holds the scores of 20 of 20 nights"), "and names what the page holds");
  await bare.context().close();
}

async function accessible(browser) {
  for (const name of ["demo.html", "weighted.html", "priced.html"]) {
    const page = await shared(browser, name, true), widths = [390, 1024, 1300];
    await page.locator(".what-if-rules td button").nth(7).click();
    if (name === "weighted.html") await page.locator("#what-if-temperature").fill("140");
    await frame(page);
    await layOut(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `${name}: ${wide} pixels wide in a window of ${width}`);
    }
    // Sections that are not looked at take axe most of its time.
    await page.evaluate(() => document.querySelectorAll("main > section:not([aria-labelledby=what-if], [aria-labelledby=rules])").forEach((section) => section.remove()));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await axe(page, `${name}, ${width}, ${colorScheme}`, {}, "section[aria-labelledby=what-if], section[aria-labelledby=rules]");
        if (process.env.STATEPATH_PICTURES)
          await page.locator("section[aria-labelledby=what-if]").screenshot({ path: path.join(process.env.STATEPATH_PICTURES, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.context().close();
    delete begun[name];
  }
}

// Of a page that holds a part nothing is said to be as in the run: the tables say of what they are.
async function ofPart(browser) {
  const page = await shared(browser, "weighted.html"), part = /holds the scores of (\d+ of 20 nights)/.exec(await page.textContent("section[aria-labelledby=what-if]"));
  check(part && !part[1].startsWith("20"), "the page holds a part: " + part);
  const said = async () => (await page.locator("#what-if-tool th .held").allTextContents()).join();
  check((await said()) === part[1], "the table of figures says so: " + (await said()));
  check((await status(page)) === "Nothing is changed yet. Figures are of " + part[1] + ".", "so does the sentence: " + (await status(page)));
  await page.locator(".what-if-rules td button").nth(7).click();
  await frame(page);
  check((await said()) === part[1] + "," + part[1], "so does the table of what was tried: " + (await said()));
  check(!/as in the run/i.test(await page.textContent("#what-if-tool")), "nothing is as in the run");
}

// How long it takes: measure.cjs.
async function small() {
  const size = Buffer.byteLength(text);
  check(size < 1.1e6 && text.includes("holds the scores of 20 of 20 nights"), `a page that holds 20 nights and what rules cost takes ${size} bytes`);
}

runParts([asInRun, ofPart, byKeyboard, addressed, busy, prices, byMouse, words, costs, harm, dwells, byTouch, asProgram, forbidden, accessible, small], () => fs.rmSync(folder, { recursive: true }));
