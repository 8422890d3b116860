// The section "What if" in headless Chromium: it shows the run's figures, decodes as the program does under rules that are clicked, by
// mouse, touch and keyboard, is accessible (as is "What rules cost"), and leaves the rest of the page alone where WebAssembly is forbidden.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { execFileSync } = require("child_process");

const { need, skip, check, patience, layOut, run: runParts } = require("./browser.cjs"), { median, changes } = require("./times.cjs");
const [{ source: axe }] = need("axe-core");
if (!fs.existsSync(process.env.STATEPATH_MODULE)) skip("statepath.wasm was not built");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-what-if-"));
const at = (name) => path.join(folder, name);
const demo = path.join(process.env.STATEPATH_SOURCE, "datasets/sleep-demo.h5");
const call = (...args) => execFileSync(process.env.STATEPATH, args, { stdio: ["ignore", "pipe", "inherit"], cwd: folder, maxBuffer: 64 << 20 });
const run = (...args) => call(...args, "-q", "-f");
const json = (name) => JSON.parse(fs.readFileSync(at(name), "utf8"));

run("compare", demo, "--model", "sleep-strict", "--rule-costs", "--unit", "recording/step", "--report", "demo.html", "--json", "demo.json");
// A weighted model with a prior, fewer recordings, no reference.
fs.writeFileSync(at("weighted.json"), JSON.stringify({
  statepath_model: 1, name: "weighted", classes: ["Wake", "N1", "N2", "N3", "REM"], matrix: Array(5).fill([1, 1, 1, 1, 1]),
  log_weights: [0, 1, 2, 3, 4].map((i) => [0, 1, 2, 3, 4].map((j) => (i === j ? -0.1 : -2.5))), prior: [0.2, 0.1, 0.4, 0.15, 0.15],
}));
run("compare", demo, "--model", "weighted.json", "--report", "weighted.html", "--json", "weighted.json.json", "--what-if-bytes", "90000");
const text = fs.readFileSync(at("demo.html"), "utf8");

async function open(browser, name, options, quiet) {
  const context = await browser.newContext(Object.assign({ viewport: { width: 1300, height: 900 }, acceptDownloads: true }, options));
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  if (!quiet) {
    page.on("console", (m) => check(false, `${name}: console says: ${m.text()}`));
    page.on("pageerror", (e) => check(false, `${name}: script error: ${e.message}`));
    page.on("request", (r) => check(/^(file|blob):/.test(r.url()), `${name}: requests ${r.url()}`));
  }
  await page.goto("file://" + at(name));
  return page;
}
async function begin(browser, name, options) {
  const page = await open(browser, name, options);
  await page.waitForSelector("#what-if-tool[data-state=ready]");
  await frame(page);
  if (await page.locator("#what-if-all").count()) await page.locator("#what-if-all").check(); // rows of all classes
  return page;
}
// Until what was changed is decoded and shown.
async function frame(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForSelector("#what-if-tool:not([data-busy])");
}
const status = async (page) => { await frame(page); return page.textContent("#what-if-status"); };
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
  const begun = await begin(browser, "demo.html");
  check((await status(begun)) === "As in the run: nothing is changed yet.", "at first all is as in the run");
  const found = await figures(begun), right = ofRun(json("demo.json"));
  for (const name of Object.keys(right))
    check(JSON.stringify(found[name]) === JSON.stringify(right[name]), `untouched figures of ${name}: ${found[name]}, the run has ${right[name]}`);
  check(found.reference[2] === String(json("demo.json").reference.illegal), "illegal transitions of the reference: " + found.reference[2]);
  const caption = await begun.textContent("#what-if-tool figcaption"), [, first, last] = /steps ([\d,]+) to ([\d,]+)\./.exec(caption).map((n) => Number(n.replace(/,/g, "")));
  await begun.getByRole("button", { name: "+", exact: true }).click();
  await frame(begun);
  const [, from, to] = /zoom=(\d+)-(\d+)/.exec(await begun.evaluate(() => location.hash)).map(Number), middle = (first + last) / 2;
  check(last - first === 79 && Math.abs((from + to + 1) / 2 - middle) < 1, `the caption counts epochs from 1, the address from 0: ${caption}, ${from} to ${to}`);
  await begun.getByText("Confusion now", { exact: true }).click();
  await begun.locator("table.matrix", { hasText: "Confusion of viterbi" }).waitFor(); // a fold tells that it is open in a task of its own
  const matrix = await begun.locator("table.matrix", { hasText: "Confusion of viterbi" }).locator("tbody td").allTextContents();
  check(JSON.stringify(matrix.map((n) => Number(n.replace(/,/g, "")))) === JSON.stringify(json("demo.json").strategies.viterbi.confusion.flat()), "the confusion matrix is the run's: " + matrix);
  await begun.context().close();
}

// The mark of work that is not shown yet stays while a change waits for its frame, also where an earlier change is shown meanwhile.
async function busy(browser) {
  const page = await begin(browser, "demo.html");
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
  await page.context().close();
}

// What a violation of a rule over more steps costs is a field; in the address, in words, in the model, undone.
async function prices(browser) {
  const page = await begin(browser, "priced.html"), field = page.getByRole("spinbutton", { name: "n3: at_most 6 runs of N3" }), second = page.getByRole("spinbutton", { name: "rule2" });
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
  const sent = await open(browser, "priced.html");
  await sent.goto("file://" + at("priced.html") + hash);
  await sent.waitForSelector("#what-if-tool[data-state=ready]");
  await frame(sent);
  check((await sent.locator("#what-if-tool figure").innerHTML()) === drawn, "a second browser shows the same");
  await sent.goto("file://" + at("priced.html") + "#rules=&price=n9:1,n3:-1,rule2:x");
  await sent.reload();
  await sent.waitForSelector("#what-if-tool[data-state=ready]");
  check((await status(sent)).startsWith("Not in this page, left out: n9:1, n3:-1, rule2:x. "), "prices that are none are named: " + (await status(sent)));
  await sent.context().close();
  await field.fill("-2");
  check((await field.getAttribute("aria-invalid")) === "true" && (await page.textContent("#what-if-dwell")) === "n3: needs a number from 0, or nothing where it is never broken; 4 still counts.", "what is no price is not taken");
  await field.blur();
  check((await field.inputValue()) === "4" && (await page.textContent("#what-if-dwell")) === "", "and gone when one leaves the field");
  await page.getByRole("button", { name: "Undo" }).click();
  check((await second.inputValue()) === "" && (await field.inputValue()) === "4", "undone one by one");
  await page.getByRole("button", { name: "Back to the run" }).click();
  await frame(page);
  check((await status(page)).startsWith("As in the run"), "back to the run");
  await page.context().close();
}

// Names that a screen reader says; a cell by mouse, back by the button; what cannot be decoded with is said.
async function byMouse(browser) {
  const page = await begin(browser, "demo.html");
  const cell = (name) => page.getByRole("button", { name });
  await cell("Wake to N2: forbidden").click();
  check(/^\d+ steps of viterbi in \d+ recordings now differ from the run: \d+ now right, \d+ now wrong, \d+ neither\.$/.test(await status(page)), "a click decodes: " + (await status(page)));
  check((await cell("Wake to N2: allowed, changed").getAttribute("aria-pressed")) === "true", "the cell says that it is allowed, and changed");
  check((await page.locator("#what-if-status[role=status]").textContent()).includes("now differ"), "what changed is a live region");
  await page.getByRole("button", { name: "Back to the run" }).click();
  check((await status(page)).startsWith("As in the run"), "back to the run");
  await cell("Start in Wake: allowed").click();
  await frame(page);
  check((await cell("Start in Wake: forbidden, changed").count()) === 1, "a start can be forbidden");
  await page.getByRole("button", { name: "Back to the run" }).click();
  await page.getByRole("spinbutton", { name: "Steps that N2 stays at least" }).fill("5");
  check(/now differ/.test(await status(page)), "a minimum dwell decodes");
  await cell("N2 stays: allowed").click();
  check(/"N2": must stay for 5 steps, but N2 -> N2 is forbidden/.test(await status(page)), "rules that contradict themselves: " + (await status(page)));
  check(await page.getByRole("button", { name: "Model as JSON" }).isDisabled(), "and are not saved");
  await page.getByRole("button", { name: "Back to the run" }).click();
  check((await figures(page)).viterbi[0] === ofRun(json("demo.json")).viterbi[0], "the figures are the run's again");
  check((await page.getByRole("slider").count()) === 0, "without weights no slider would move anything");
  const weighted = await begin(browser, "weighted.html");
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
    await weighted.getByRole("button", { name: "Back to the run" }).click();
  }
  await weighted.context().close();
  await cell("N1 to REM: forbidden").click();
  await page.locator("#what-if-tool").getByRole("combobox", { name: "Strategy" }).selectOption("greedy");
  check((await status(page)).includes("of greedy"), "another strategy is chosen");
  await page.locator("#what-if-tool").getByRole("combobox", { name: "Recording" }).selectOption({ index: 3 });
  check((await page.locator("#what-if-tool figure .track").count()) === 5, "reference, argmax, run, now and the axis are drawn");
  await page.context().close();
}

// What is set stands in the address: it is sent, taken back by Undo and by Back, and listed.
async function addressed(browser) {
  const page = await begin(browser, "demo.html"), hash = () => new URL(page.url()).hash;
  const seen = async (other) => JSON.stringify([await status(other), await figures(other), await other.locator("#what-if-tool figure").innerHTML()]);
  const first = await seen(page);
  await page.getByRole("button", { name: "Wake to N2: forbidden" }).click();
  await frame(page);
  const one = hash(), afterOne = await seen(page);
  check(/^#rules=\+Wake\.N2&night=[^&]+&zoom=\d+-\d+$/.test(one), "the address says what is allowed: " + one);
  await page.getByRole("spinbutton", { name: "Steps that N2 stays at least" }).fill("5");
  await page.locator("#what-if-tool").getByRole("combobox", { name: "Strategy" }).selectOption("greedy");
  await frame(page);
  const two = hash(), afterTwo = await seen(page);
  check(two.includes("&dwell=N2:5&strategy=greedy&"), "lengths and the strategy too: " + two);
  const sent = await open(browser, "demo.html");
  await sent.goto("file://" + at("demo.html") + two);
  await sent.waitForSelector("#what-if-tool[data-state=ready]");
  check((await seen(sent)) === afterTwo, "a second browser shows the same");
  check((await sent.locator(".what-if-tried tbody th").allTextContents()).join() === "as in the run," + (await page.locator(".what-if-tried [aria-current=true]").textContent()), "and says what is other than in the run");
  await sent.context().close();
  check((await page.locator(".what-if-tried tbody tr").count()) === 3, "three sets of rules were tried");
  await page.locator(".what-if-tried button").first().click();
  check((await seen(page)).includes("As in the run"), "one of them is a click away");
  await page.goBack();
  check((await seen(page)) === afterTwo, "Back returns to what was set before");
  await page.evaluate(() => { location.hash = "#methods"; });
  check((await seen(page)) === afterTwo, "a link to another section leaves the rules alone");
  await page.goBack();
  check((await seen(page)) === afterTwo, "and so does Back from there");
  const strategy = page.locator("#what-if-tool").getByRole("combobox", { name: "Strategy" });
  await page.getByRole("button", { name: "Undo" }).click();
  check((await status(page)).includes("of greedy") && !hash().includes("dwell"), "the length is undone, the strategy is a view and stays: " + hash());
  await strategy.selectOption("viterbi");
  check((await seen(page)) === afterOne && hash() === one, "as after the first change");
  await page.getByRole("button", { name: "Redo" }).click();
  await frame(page);
  check(hash().includes("dwell=N2:5") && !hash().includes("greedy"), "redone, although the view changed meanwhile: " + hash());
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  check((await status(page)).startsWith("As in the run") && (await page.getByRole("button", { name: "Undo" }).isDisabled()), "undone to the run");
  await page.getByRole("button", { name: "Redo" }).click();
  await page.getByRole("button", { name: "Back to the run" }).click();
  await page.locator("#what-if-tool").getByRole("combobox", { name: "Strategy" }).selectOption("viterbi");
  check((await seen(page)) === first, "back to the run all is as at first");
  const marked = () => page.locator("#what-if-tool figure .track", { hasText: "argmax" }).locator("use[href='#ill']").count();
  check((await marked()) > 0, "argmax breaks rules in the stretch that is shown");
  for (const forbidden = page.getByRole("button", { name: /^\w+ to \w+: forbidden/ }); await forbidden.count(); await frame(page)) await forbidden.first().click();
  check((await figures(page)).argmax[2] === "0" && (await marked()) === 0, "what is allowed now is marked no more: " + (await figures(page)).argmax + ", " + (await marked()));
  await page.goto("file://" + at("demo.html") + "#rules=+Wake.N9,-N2.N2,x&dwell=N1:0&strategy=best&night=r99&zoom=9-3&colour=red&rules=");
  await page.reload();
  await page.waitForSelector("#what-if-tool[data-state=ready]");
  check((await status(page)).startsWith("Not in this page, left out: colour=red, rules=, +Wake.N9, x, N1:0, best, r99, zoom 9-3. "), "what an address cannot mean is said: " + (await status(page)));
  await page.goto("file://" + at("votes.html") + "#rules=&strategy=posterior-viterbi");
  await page.waitForSelector("#what-if-tool[data-state=ready]");
  const offered = page.locator("#what-if-strategy");
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
  await page.locator("#what-if-tool").getByRole("combobox", { name: "Sentence" }).selectOption({ index: 1 });
  await frame(page);
  check((await lines())[0] === "<b> New York LOC", "a word is never markup: " + (await lines()));
  await page.context().close();
}

// Each forbidden cell says what allowing it alone would gain: as the model that allows it does.
async function costs(browser) {
  const page = await begin(browser, "demo.html");
  await page.waitForSelector("#what-if-tool[data-costs]");
  const cells = page.locator(".what-if-rules td button.off"), n = await cells.count(), before = Number(json("demo.json").strategies.viterbi.accuracy);
  check(n === 11, n + " forbidden cells");
  for (let i = 0; i < n; i++) {
    const gain = (await cells.nth(i).locator("small").textContent()).replace("\u2212", "-"), cell = await cells.nth(i).elementHandle();
    await cell.evaluate((e) => e.click());
    await frame(page);
    const after = await page.locator(".what-if-figures tr.chosen td").first().evaluate((td) => Number(td.firstChild.textContent));
    check(Math.abs(100 * (after - before) - Number(gain)) < 0.011, `cell ${i} says ${gain}, and allowing it changes accuracy by ${100 * (after - before)}`);
    await cell.evaluate((e) => e.click());
    await frame(page);
  }
  await page.context().close();
}

// The stretches where rules do harm, the worst first: what the caption counts is what is drawn, and what the pointer reads too.
async function harm(browser) {
  const page = await begin(browser, "demo.html"), button = page.getByRole("button", { name: "Where rules do harm" }), nets = [];
  const inSight = () => page.evaluate(() => [...document.querySelectorAll("#what-if-tool figure .track")].slice(0, 3).map((track) => {
    const path = [];
    track.querySelectorAll("path[data-k]").forEach((shape) => [...shape.getAttribute("d").matchAll(/M(\d+) [\d.]+h(\d+)v/g)].forEach(([, from, length]) =>
      path.fill.call((path.length = Math.max(path.length, Number(from) + Number(length)), path), Number(shape.dataset.k), Number(from), Number(from) + Number(length))));
    return path;
  }));
  const marked = (row, name) => page.locator("#what-if-tool figure .track").nth(row).locator(".what-if-" + name).evaluate((shape) =>
    [...shape.getAttribute("d").matchAll(/M\d+ [\d.]+h(\d+)v/g)].reduce((sum, one) => sum + Number(one[1]), 0));
  for (let place = 1; place <= 10; place++) {
    await button.click();
    await frame(page);
    const caption = await page.textContent("#what-if-tool figcaption"), [reference, plain, ruled] = await inSight();
    const said = /Place (\d+) of (\d+) where rules do harm\. Here viterbi has (\d+) steps? wrong that argmax has right, and (\d+) right that it has wrong\./.exec(caption);
    if (!check(said && Number(said[1]) === place && said[2] === "10", "the caption says which place it is: " + caption)) break;
    const lost = reference.filter((k, t) => k === plain[t] && k !== ruled[t]).length, gained = reference.filter((k, t) => k !== plain[t] && k === ruled[t]).length;
    check(reference.length >= 79 && lost === Number(said[3]) && gained === Number(said[4]), `of ${reference.length} steps ${lost} are lost, ${gained} gained: ${caption}`);
    const wrong = reference.filter((k, t) => typeof k === "number" && k !== ruled[t]).length, strips = [await marked(1, "harm"), await marked(2, "harm"), await marked(2, "strip")];
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
  await page.getByRole("button", { name: "N2 to Wake: forbidden" }).click();
  for (let place = 1; place <= 3; place++) { // under other rules the list is another, and goes on, too
    await button.click();
    await frame(page);
    const caption = await page.textContent("#what-if-tool figcaption");
    check(caption.includes(`Place ${place} of `) && caption.includes("Here viterbi now has "), `with a rule changed: ${caption}`);
    const [, told] = /, (\d+) differ/.exec((await page.textContent("#what-if-tool figure")).replace(/,(?=\d)/g, ""));
    check((await marked(3, "changed")) <= Number(told), `no more steps are marked as changed than differ in the whole night: ${told}`);
  }
  await page.getByRole("button", { name: "Back to the run" }).click();
  await button.click();
  await frame(page);
  const rows = page.locator("#what-if-tool figure .track .rows").nth(1), box = await rows.locator("svg").first().boundingBox(), names = json("demo.json").model.classes;
  await rows.locator("svg").first().hover({ position: { x: box.width * 0.505, y: box.height / 2 } });
  const read = await page.textContent(".what-if-read"), [reference, plain, ruled] = await inSight(), from = Number(/zoom=(\d+)/.exec(await page.evaluate(() => location.hash))[1]);
  const wanted = `step ${(from + 41).toLocaleString("en-US")}: reference ${names[reference[40]]}, argmax ${names[plain[40]]}, viterbi ${names[ruled[40]]}`;
  check(read.endsWith(wanted), `the pointer reads ${read}, there is ${wanted}`);
  await page.context().close();
}

// The field shows the number that counts, or is marked, with a sentence, until one leaves it.
async function dwells(browser) {
  const page = await begin(browser, "demo.html"), field = page.getByRole("spinbutton", { name: "Steps that N2 stays at least" });
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
  const most = page.getByRole("spinbutton", { name: "Steps that N2 stays at most" });
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
  await page.context().close();
}

async function byKeyboard(browser) {
  const page = await begin(browser, "demo.html");
  await page.getByRole("group", { name: "The rules" }).focus();
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
  check((await name()) === "Steps that Wake stays at least", "cells are one stop: " + (await name()));
  await page.keyboard.press("ArrowUp");
  check((await page.inputValue("input[type=number]")) === "2", "an arrow lengthens the stay");
  await page.context().close();
  const weighted = await begin(browser, "weighted.html"), before = JSON.stringify(await figures(weighted));
  await weighted.getByRole("slider", { name: "Temperature" }).focus();
  for (let i = 0; i < 25; i++) await weighted.keyboard.press("ArrowRight");
  await frame(weighted);
  check(JSON.stringify(await figures(weighted)) !== before, "arrows move the temperature");
  await weighted.context().close();
}

async function byTouch(browser) {
  const page = await begin(browser, "demo.html", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const cell = page.getByRole("button", { name: "REM to N1: forbidden" });
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
  run("compare", file, ...options, "--report", name + ".html", "--json", name + ".json", "--what-if-bytes", "10000000");
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
// the paths, of many changes at some two dozen, the next one at others; figures are of all of them.
const drawn = (page, change) => page.evaluate(async ([change, isLong]) => {
  const { strategies, recordings } = JSON.parse(document.getElementById("what-if-settings").textContent), found = {}, tool = document.getElementById("what-if-tool");
  const shown = async () => {
    do await new Promise((done) => requestAnimationFrame(done)); while ("busy" in tool.dataset);
  };
  const choose = (id, value) => {
    const select = document.getElementById(id);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const ids = [...document.getElementById("what-if-recording").options].map((option) => option.textContent.replace(/ \u2013 .*/, "")), asked = document.getElementById("what-if-strategy").value;
  const all = [...tool.querySelectorAll("button")].find((button) => button.textContent === "All");
  const stride = isLong ? Math.ceil((strategies.length * ids.length) / 24) : 3;
  for (const [s, name] of strategies.entries()) {
    choose("what-if-strategy", name);
    for (const [i, id] of ids.entries()) {
      if ((s * ids.length + i + change) % stride) continue;
      choose("what-if-recording", i);
      all.click();
      await shown();
      const n = recordings.find((one) => one[0] === id)[1], tracks = [...tool.querySelectorAll("figure .track")];
      const path = (found[name.split(":")[0] + " " + id] = new Array(n).fill(-1)), shapes = tracks[tracks.length - 2].querySelectorAll("path[data-k]");
      shapes.forEach((shape) => [...shape.getAttribute("d").matchAll(/M(\d+) ([\d.]+)h(\d+)v/g)].forEach(([whole, from, y, length]) =>
        path.fill(Number(shape.dataset.k), Number(from), Number(from) + Number(length))));
    }
  }
  choose("what-if-strategy", asked);
  await shown();
  return found;
}, [change, isLong]);

// The same of a file that the program wrote: recording,step,strategy,...
function written(name, classes) {
  const [head, ...rows] = fs.readFileSync(at(name), "utf8").trim().split("\n").map((line) => line.split(",")), found = {};
  for (const row of rows)
    for (let s = 2; s < head.length; s++) (found[head[s] + " " + row[0]] = found[head[s] + " " + row[0]] || []).push(classes.indexOf(row[s]));
  return found;
}

// One to four cells of the rules, now and then a stay and a slider.
async function changeRules(page, draw, withStays) {
  await page.getByRole("button", { name: "Back to the run" }).evaluate((b) => b.click());
  const cells = page.locator(".what-if-rules td button"), n = await cells.count(), stays = page.locator(".what-if-rules input[type=number]");
  for (let k = 1 + draw(4); k > 0; k--) await cells.nth(draw(n)).evaluate((cell) => cell.click());
  if (withStays) await stays.nth(draw(await stays.count())).fill(String(1 + draw(4)));
  const prices = page.locator(".what-if-price input");
  for (let i = 0; i < (await prices.count()); i++) if (draw(2)) await prices.nth(i).fill(["", "0", "0.25", "3"][draw(4)]);
  for (const id of ["temperature", "transitionWeight", "priorWeight"])
    if (draw(2) && (await page.locator("#what-if-" + id).count())) await page.locator("#what-if-" + id).fill(String(draw(200)));
}

async function saveModel(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Model as JSON" }).click()]);
  await download.saveAs(at(download.suggestedFilename()));
  return download.suggestedFilename();
}

async function asProgram(browser) {
  const times = Number(process.env.STATEPATH_CHANGES) || (isLong ? 200 : 3);
  let seed = 7;
  const draw = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const asked = process.env.STATEPATH_SETS; // some of them
  for (const set of sets.filter(({ name }) => !asked || asked.split(",").includes(name))) {
    const page = await begin(browser, set.name + ".html"), untouched = await figures(page), right = ofRun(json(set.name + ".json")), began = Date.now();
    for (const name of Object.keys(right))
      check(JSON.stringify(untouched[name]) === JSON.stringify(right[name]), `${set.name}, untouched, ${name}: page ${untouched[name]}, program ${right[name]}`);
    let compared = 0, steps = 0;
    for (let i = 0; compared < times && i < 3 * times; i++) {
      await changeRules(page, draw, i % 2);
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
    await page.context().close();
  }
  // Of fewer recordings than the run had, with a prior: the model is one that the program takes.
  const page = await begin(browser, "weighted.html");
  for (let i = 0; i < 5; i++) {
    await changeRules(page, draw, i % 2);
    if (!(await status(page)).startsWith("These rules")) call("model", "check", await saveModel(page));
  }
  await page.context().close();
}

// A host that sends a stricter policy.
async function forbidden(browser) {
  const page = await open(browser, "demo.html", {}, true);
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
  check((await bare.locator("#what-if-note").isVisible()) && (await bare.textContent("section[aria-labelledby=what-if]")).includes("holds the scores of 20 of 20 recordings"), "and names what the page holds");
  await bare.context().close();
}

async function accessible(browser) {
  for (const name of ["demo.html", "weighted.html", "priced.html"])
    for (const width of [390, 1024, 1300]) {
      const page = await begin(browser, name, { viewport: { width, height: 900 }, bypassCSP: true });
      await page.locator(".what-if-rules td button").nth(7).click();
      if (name === "weighted.html") await page.locator("#what-if-temperature").fill("140");
      await frame(page);
      await layOut(page);
      await page.addScriptTag({ content: axe });
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const result = await page.evaluate(() => window.axe.run("section[aria-labelledby=what-if], section[aria-labelledby=rules]", { resultTypes: ["violations"] }));
        for (const v of result.violations)
          check(false, `${name}, ${width}, ${colorScheme}: axe: ${v.id}: ${v.help} (${v.nodes.length})\n  ${v.nodes[0].html.slice(0, 200)}`);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `${name}: ${wide} pixels wide in a window of ${width}`);
      if (process.env.STATEPATH_PICTURES)
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          await page.locator("section[aria-labelledby=what-if]").screenshot({ path: path.join(process.env.STATEPATH_PICTURES, `${name}-${width}-${colorScheme}.png`) });
        }
      await page.context().close();
    }
}

// Of a page that holds a part nothing is said to be as in the run: the tables say of what they are.
async function ofPart(browser) {
  const page = await begin(browser, "weighted.html"), part = /holds the scores of (\d+ of 20 nights)/.exec(await page.textContent("section[aria-labelledby=what-if]"));
  check(part && !part[1].startsWith("20"), "the page holds a part: " + part);
  const said = async () => (await page.locator("#what-if-tool th .held").allTextContents()).join();
  check((await said()) === part[1], "the table of figures says so: " + (await said()));
  check((await status(page)) === "Nothing is changed yet. Figures are of " + part[1] + ".", "so does the sentence: " + (await status(page)));
  await page.locator(".what-if-rules td button").nth(7).click();
  await frame(page);
  check((await said()) === part[1] + "," + part[1], "so does the table of what was tried: " + (await said()));
  check(!/as in the run/i.test(await page.textContent("#what-if-tool")), "nothing is as in the run");
  await page.context().close();
}

// No time is asserted on a machine that others use, but the size is. The times are printed.
async function quick(browser) {
  const size = Buffer.byteLength(text);
  check(size < 1.1e6 && text.includes("holds the scores of 20 of 20 recordings"), `a page that holds 20 nights and what rules cost takes ${size} bytes`);
  const page = await open(browser, "demo.html");
  const load = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  await page.waitForSelector("#what-if-tool[data-state=ready]");
  const started = await page.evaluate(() => performance.now());
  const change = median(await changes(page, 9));
  console.log(`20 nights: ${size} bytes, loaded ${Math.round(load)} ms, first decoded at ${Math.round(started)} ms, a change shown in ${Math.round(change)} ms`);
  await page.context().close();
}

runParts([asInRun, ofPart, busy, prices, byMouse, addressed, words, costs, harm, dwells, byKeyboard, byTouch, asProgram, forbidden, accessible, quick], () => fs.rmSync(folder, { recursive: true }));
