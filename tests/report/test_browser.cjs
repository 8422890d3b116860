// The report in headless Chromium: silent (no console message, no request), accessible (axe), valid (html-validate), usable without
// script, and its few moving parts work. Needs "npm install" in this folder and Chromium; skipped (77) where they are missing.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { execFileSync } = require("child_process");

const { need, check, open: openFile, axe, thin, save, layOut, unfold, scrollTo, run } = require("./browser.cjs");
const [, { HtmlValidate }] = need("axe-core", "html-validate");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-report-"));
// Pages of made comparisons, and pages that the program writes.
const made = ["nights", "fifty", "small", "classes", "wide", "unlabelled", "alone", "hostile", "thousand"];
const files = {}, texts = {};
function add(name, file) {
  files[name] = file;
  texts[name] = fs.readFileSync(file, "utf8");
}
execFileSync(process.env.STATEPATH_PYTHON || "python3", [path.join(__dirname, "make_pages.py"), folder, ...made], { stdio: "inherit" });
for (const name of made) add(name, path.join(folder, name + ".html"));

// The demo, real tags where they are at hand, a classifier trained on a few made signals, and the experiment with it.
function write() {
  const source = process.env.STATEPATH_SOURCE, shared = process.env.STATEPATH_SHARED || "", at = (name) => path.join(folder, name);
  const program = (...args) => execFileSync(process.env.STATEPATH, [...args, "-q"], { stdio: ["ignore", "ignore", "inherit"] });
  program("compare", path.join(source, "datasets/sleep-demo.h5"), "--model", "sleep-strict", "--report", at("demo.html"), "--json", at("de mo#1.json"));
  add("demo", at("demo.html"));
  const tags = path.join(shared, "data/wnut17_linear");
  if (fs.existsSync(tags + ".h5")) {
    program("compare", tags + ".h5", "--model", tags + ".model.json", "--report", at("tags.html"));
    add("tags", at("tags.html"));
  } else {
    console.log("skipped: tags: " + tags + ".h5 is absent");
  }
  const recipe = JSON.parse(fs.readFileSync(path.join(source, "datasets/sleep-signals.recipe.json"), "utf8"));
  Object.assign(recipe, { recordings: 3, steps: 12 });
  recipe.signals.test = 1;
  fs.writeFileSync(at("recipe.json"), JSON.stringify(recipe));
  program("simulate", at("recipe.json"), "-o", at("signals.h5"));
  program("train", at("signals.h5"), "-o", at("masked.h5"), "--epochs", "2", "--masking", "random-previous",
      "--model", "sleep-strict", "--report", at("training.html"));
  add("training", at("training.html"));
  execFileSync("python3", [path.join(source, "models/network/experiment.py"), "--report", at("experiment.html"),
      path.join(source, "tests/report/golden/experiment.json")], { stdio: "inherit" });
  add("experiment", at("experiment.html"));
}
write();
const names = Object.keys(files);

async function validate() {
  const validator = new HtmlValidate({
    extends: ["html-validate:recommended"],
    rules: {
      "no-inline-style": "error",
      "long-title": "off", // names of files are as long as they are
      "tel-non-breaking": "off", // numbers are not telephone numbers
      "no-trailing-whitespace": "off",
      "require-sri": "off",
      "doctype-style": "off",
    },
  });
  for (const name of kinds) {
    const report = await validator.validateString(texts[name]);
    const messages = report.results.flatMap((r) => r.messages);
    const shown = messages.slice(0, 5).map((m) => `  line ${m.line}: ${m.ruleId}: ${m.message}`).join("\n");
    check(messages.length === 0, `${name}: html-validate has ${messages.length} messages\n${shown}`);
  }
}

async function open(browser, name, options, hash = "", before) {
  const page = await openFile(browser, files[name], Object.assign({ viewport: { width: 1200, height: 900 } }, options), { name, hash, before, isOwn: (url) => url.startsWith("file://" + folder) });
  await page.waitForFunction(() => !window.statepathLater || !window.statepathLater.waiting());
  if (!hash) await unfold(page); /* folded sections are tested in contents() */
  return page;
}

// "fifty" and "thousand" are more of what "nights" has; axe and html-validate would take minutes for them, and axe for the tags.
const kinds = names.filter((name) => name !== "fifty" && name !== "thousand");

async function accessible(page, name) {
  await page.evaluate(thin);
  // In the dark only colours differ, and they come from the same style everywhere.
  for (const colorScheme of ["small", "nights", "unlabelled", "training"].includes(name) ? ["light", "dark"] : ["light"]) {
    await page.emulateMedia({ media: "screen", colorScheme });
    await axe(page, `${name}, ${colorScheme}`, colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {});
  }
}

// The page never scrolls sideways; wide tables do so in their own box, but from 1200 pixels on only matrices of many classes may.
async function fits(page, name) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d, i) => (d.open = i < 14)));
  await layOut(page);
  for (const width of [360, 400, 900, 1200, 1300, 1800]) {
    await page.setViewportSize({ width, height: 900 });
    const isRoomy = width >= 1200 && name !== "hostile" && name !== "experiment";
    const [wide, cut] = await page.evaluate((isRoomy) => [document.documentElement.scrollWidth, isRoomy ? [...document.querySelectorAll(".scroll")]
      .filter((s) => s.checkVisibility() && s.scrollWidth > s.clientWidth + 1 && !s.querySelector(".many, .turned"))
      .map((s) => s.getAttribute("aria-label")) : []], isRoomy);
    check(wide <= width, `${name}: ${wide} pixels wide in a window of ${width}`);
    check(cut.length === 0, `${name}: cut in a window of ${width}: ${cut.join("; ")}`);
  }
  // Paper: 210 mm less its margins.
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 703, height: 1000 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 703 || ["classes", "hostile", "experiment"].includes(name), `${name}: ${wide} pixels wide on paper of 703`);
}

// Each page is opened once for what is asked of all.
async function everyPage(browser) {
  for (const name of names) {
    const page = await open(browser, name, { colorScheme: "light" });
    if (["nights", "thousand", "demo"].includes(name)) await numbers(page, name);
    await quick(page, name);
    await fits(page, name);
    await page.setViewportSize({ width: 1200, height: 900 });
    if (kinds.includes(name) && name !== "tags") await accessible(page, name);
    await page.context().close();
  }
  check(/Drawn of 1,000 nights/.test(texts.thousand), "the page of a thousand says which recordings it draws");
}

// On a wide screen the contents stay beside the page and say where one is; on a narrow one they are a line above it.
async function contents(browser) {
  const page = await open(browser, "demo", { viewport: { width: 1300, height: 900 } });
  const marked = () => page.evaluate(() => [...document.querySelectorAll(".contents a")]
    .filter((a) => getComputedStyle(a).fontWeight >= 600).map((a) => a.hash));
  for (const id of ["legality", "runs"]) {
    await page.evaluate((to) => document.getElementById(to).scrollIntoView({ behavior: "instant" }), id);
    await page.waitForFunction((to) => [...document.querySelectorAll(".contents a")]
      .some((a) => a.hash === "#" + to && getComputedStyle(a).fontWeight >= 600), id, { timeout: 5000 }).catch(() => {});
    check(JSON.stringify(await marked()) === JSON.stringify(["#" + id]), `the contents mark ${id}: ${await marked()}`);
    const box = await page.locator(".contents").boundingBox();
    check(box.y >= 0 && box.y < 100 && box.x < 100, `the contents stay in sight at ${id}`);
  }
  // What is folded opens by a link, and by an address.
  const folded = await browser.newPage({ viewport: { width: 1300, height: 900 } });
  await folded.goto("file://" + files.demo);
  check(!(await folded.locator("section[aria-labelledby=confusion] table").first().isVisible()), "the confusion matrices are folded");
  await folded.locator(".contents a[href='#confusion']").click();
  check(await folded.locator("section[aria-labelledby=confusion] table").first().isVisible(), "a link of the contents opens them");
  check(!(await folded.locator("section[aria-labelledby=sleep] table").first().isVisible()), "others stay folded");
  const tall = await folded.evaluate(() => document.documentElement.scrollHeight);
  check(tall < 11000, `the page is ${tall} pixels long`);
  await folded.close();
  // A page that is opened at a section shows it.
  for (const reducedMotion of ["reduce", "no-preference"]) {
    const opened = await open(browser, "demo", { reducedMotion }, "#sleep"), top = () => opened.evaluate(() => Math.round(document.getElementById("sleep").getBoundingClientRect().top));
    await opened.waitForFunction(() => Math.abs(document.getElementById("sleep").getBoundingClientRect().top - 16) < 2, null, { timeout: 20000 }).catch(() => {});
    check(Math.abs((await top()) - 16) < 2, `#sleep, ${reducedMotion}: the section is ${await top()} pixels from the top`);
    await opened.context().close();
  }
  const main = await page.locator("main").boundingBox();
  check(main.width > 1000, `the page uses the width: ${main.width} of 1300`);
  await page.setViewportSize({ width: 400, height: 900 });
  check((await page.locator("main").boundingBox()).width > 360, "on a phone all of the width is the page's");
  await page.context().close();
}

// Every figure has its numbers: behind a fold, as a link to the table that holds them, or in a fold after it.
async function numbers(page, name) {
  const bare = await page.evaluate(() => [...document.querySelectorAll("figure.plot")].filter((f) =>
    !f.querySelector("details table") && !f.querySelector("a[href='#recordings']") && !f.closest("section").querySelector("details table"))
    .map((f) => f.textContent.slice(0, 60)));
  check(bare.length === 0, `${name}: figures without numbers: ${bare.join("; ")}`);
}

// The numbers of a table as a file, twice the same, and what stands in the table.
async function downloads(browser) {
  const page = await open(browser, "nights", { acceptDownloads: true });
  const button = page.locator("section[aria-labelledby=strategies] .csv").first();
  const saved = async (button) => (await save(page, button)).map(String), [file, text] = await saved(button);
  check(file === "scores-h5_strategies-on-the-same-scores.csv", "the file is named after page and table: " + file);
  const rows = text.split("\r\n");
  const cells = await page.locator("section[aria-labelledby=strategies] table").first().locator("tbody tr").first().locator("th, td").allTextContents();
  check(rows.length === 6 && rows[5] === "" && rows[0].startsWith("strategy,"), "a line a row, and the header: " + rows[0]);
  const bare = (text) => text.replace(/[★,]/g, "").replace(" %", "").trim();
  const expected = cells.flatMap((c) => / \(|±/.test(c) ? c.replace(/[()]/g, "").split(/±|(?<=\d) (?=<|\d)/).map(bare) : [bare(c)]);
  check(rows[1] === expected.join(","), `the first strategy as it stands in the table: ${rows[1]} for ${expected}`);
  for (const row of rows.slice(1, -1))
    check(row.split(",").length === rows[0].match(/("[^"]*"|[^,]+)/g).length && row.split(",").slice(1).every((c) => c === "" || !isNaN(Number(c))),
          "each cell is a number: " + row);
  check((await saved(button))[1] === text, "the same bytes again");
  const matrix = (await saved(page.locator("section[aria-labelledby=confusion] .csv").first()))[1].split("\r\n");
  check(/^Wake,\d+,\d+,\d+,\d+,\d+,\d+$/.test(matrix[1]), "a matrix as counts, without per cent: " + matrix[1]);
  await page.context().close();
}

// Colours of series stand out from the paper (3:1) and from each other, for all kinds of colour vision (Machado et al. 2009; CIE
// 1976 distance), in light and dark.
const visions = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const linear = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const times = (m, v) => m.map((row) => row.reduce((sum, x, i) => sum + x * v[i], 0));
const luminance = (hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0];
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
function lab(rgb) {
  const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], rgb.map((c) => Math.min(1, Math.max(0, c))));
  const [x, y, z] = xyz.map((c, i) => c / [0.95047, 1, 1.08883][i]).map((c) => (c > 0.008856 ? Math.cbrt(c) : 7.787 * c + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
async function colours(browser) {
  const page = await open(browser, "small", {});
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const [paper, ...series] = await page.evaluate(() => ["paper", ...Array.from({ length: 18 }, (x, i) => "c" + i)]
      .map((name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()));
    series.forEach((c, i) => check(contrast(c, paper) >= 3, `${colorScheme}: contrast of c${i} is ${contrast(c, paper).toFixed(2)}`));
    for (const [vision, matrix] of Object.entries(visions))
      series.forEach((a, i) => series.slice(0, i).forEach((b, j) => {
        const [x, y] = [a, b].map((c) => lab(times(matrix, linear(c))));
        const distance = Math.hypot(...x.map((v, k) => v - y[k])), least = i < 4 ? 20 : 13;
        check(distance >= least, `${colorScheme}, ${vision}: c${j} and c${i} are ${distance.toFixed(1)} apart, less than ${least}`);
      }));
  }
  await page.context().close();
}

async function sorts(browser) {
  const page = await open(browser, "nights");
  const table = page.locator("section[aria-labelledby=recordings] table").first();
  const column = () => table.locator("tbody tr td:nth-child(5)").allTextContents();
  const before = await column();
  await table.locator("thead th:nth-child(5) button").click();
  const up = (await column()).map(Number);
  check(up.every((v, i) => !i || up[i - 1] <= v), "sorting puts numbers in ascending order: " + up);
  check((await table.locator("thead th:nth-child(5)").getAttribute("aria-sort")) === "ascending", "aria-sort says ascending");
  await table.locator("thead th:nth-child(5) button").focus();
  await page.keyboard.press("Enter");
  const down = (await column()).map(Number);
  check(down.every((v, i) => !i || down[i - 1] >= v), "by keyboard, sorting again turns the order round: " + down);
  await table.locator("thead th:nth-child(1) button").click();
  check(JSON.stringify(await column()) === JSON.stringify(before), "sorting by name brings the first order back");
  await page.context().close();
}

async function themes(browser) {
  const page = await open(browser, "small", { colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.click("#theme");
  check((await page.textContent("#theme")) === "Theme: light" && (await paper()) === light, "first click: light");
  await page.click("#theme");
  const dark = await paper();
  check(dark !== light, "second click: dark");
  await page.click("#theme");
  check((await paper()) === light, "third click: as the system says");
  await page.emulateMedia({ colorScheme: "dark" });
  check((await paper()) === dark, "the system's dark is the same dark");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  check((await paper()) === light, "paper is white");
  check(await page.evaluate(() => [...document.querySelectorAll("details:not([open])")].every((d) => !d.checkVisibility())),
        "no closed fold stands on paper");
  await page.context().close();
}

// Twenty nights on at most eight sheets, with headings that a reader of the PDF can walk by.
async function printed(browser) {
  const page = await open(browser, "demo", {});
  const pdf = (await page.pdf({ format: "A4", tagged: true, outline: true })).toString("latin1");
  const sheets = (pdf.match(/\/Type\s*\/Page\b/g) || []).length;
  check(sheets > 2 && sheets <= 8 && pdf.length < 2e6, `twenty nights take ${sheets} sheets, ${pdf.length} bytes`);
  check(/StructTreeRoot/.test(pdf) && /\/S\s*\/H1\b/.test(pdf) && (pdf.match(/\/S\s*\/H2\b/g) || []).length >= 10, "headings are tagged");
  await page.emulateMedia({ media: "print" });
  for (const [what, n] of [["#steps ~ figure", 1], ["#what-if-tool figure", 1], [".csv", 0], [".tools", 0]])
    check((await page.locator(what + ":visible").count()) === n, `${what} on paper: ${await page.locator(what + ":visible").count()}`);
  await page.context().close();
}

async function withoutScript(browser) {
  const page = await open(browser, "nights", { javaScriptEnabled: false });
  for (const id of ["verdict", "strategies", "differences", "legality", "confusion", "classes", "steps", "recordings", "probabilities", "methods"])
    check(await page.locator("#" + id).isVisible(), `without script: section ${id} is there`);
  check(!(await page.locator("#theme").isVisible()), "without script: no button that does nothing");
  check((await page.locator("svg .run").first().getAttribute("d")) !== "", "without script: step plots are drawn");
  await page.context().close();
}

async function harmless(browser) {
  const page = await open(browser, "hostile");
  check((await page.evaluate(() => window.hacked)) === undefined, "a name became a script");
  const scripts = texts.nights.match(/<script>/g).length;
  check((await page.locator("script:not([type])").count()) === scripts && (await page.locator("img").count()) === 0, "a name became an element");
  check((await page.textContent("h1")).includes("<script>"), "the name is shown as it is");
  await page.context().close();
}

// What makes a page slow is its size and the number of its elements. How long it takes: measure.cjs.
async function quick(page, name) {
  const limits = { fifty: [800e3, 17000], thousand: [1100e3, 24000], demo: [1000e3, 13000], tags: [1000e3, 24000], classes: [800e3, 30000] };
  if (!limits[name]) return;
  const n = await page.evaluate(() => document.querySelectorAll("*").length), bytes = texts[name].replace(/(?<=id="what-if-scores">)[^<]*/, "").length; // up to 5 MB of them
  check(bytes <= limits[name][0], `${name} takes ${bytes} bytes beside scores, more than ${limits[name][0]}`);
  check(n <= limits[name][1], `${name} has ${n} elements, more than ${limits[name][1]}`);
  const table = page.locator("section[aria-labelledby=recordings] table").first();
  await table.locator("thead th:nth-child(4) button").evaluate((button) => button.click());
  check((await table.locator("thead th:nth-child(4)").getAttribute("aria-sort")) === "ascending", `${name}: its recordings are sorted`);
  if (name === "thousand") check((await table.locator("tbody tr").count()) === 1000, "all thousand recordings are in the table");
}

async function links(browser) {
  const page = await open(browser, "demo");
  check((await page.locator("header a").first().getAttribute("href")) === "./de%20mo%231.json", "the page links to its JSON twin");
  await page.context().close();
  check(!/<a href="\.\//.test(texts.nights), "no link without a twin");
}

// Everything that can be opened or sorted is reached with the tabulator, and the first stop skips to the verdict.
async function keyboard(browser) {
  const page = await open(browser, "small");
  await page.keyboard.press("Tab");
  check((await page.evaluate(() => document.activeElement.className)) === "skip", "the first stop is the link to the verdict");
  await page.keyboard.press("Enter");
  check((await page.evaluate(() => location.hash)) === "#verdict", "and it goes there");
  const wanted = await page.locator("summary, th button, [tabindex='0'], a, button, input, select")
    .evaluateAll((all) => all.filter((e) => e.checkVisibility() && e.tabIndex >= 0).length);
  await page.evaluate(() => {
    window.stops = new Set();
    document.addEventListener("focusin", (e) => window.stops.add(e.target));
  });
  for (let i = 0; i < wanted + 20; i++) await page.keyboard.press("Tab");
  const seen = await page.evaluate(() => window.stops.size);
  check(seen >= wanted - 1, `keyboard: ${seen} stops of ${wanted}`);
  await page.locator("#run summary").focus();
  await page.keyboard.press("Enter");
  check(await page.locator("#run dl").isVisible(), "Enter opens a fold");
  await page.context().close();
}

const gestures = require("./gestures.cjs")({ open, save, check, scrollTo, texts, fs, json: path.join(folder, "de mo#1.json") });
run([validate, everyPage, contents, downloads, colours, sorts, themes, printed, withoutScript, harmless, links, keyboard, ...gestures],
    () => fs.rmSync(folder, { recursive: true }));
