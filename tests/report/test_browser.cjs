// The report in headless Chromium: silent (no console message, no request), accessible (axe), valid (html-validate), usable without
// script, and its few moving parts work. Needs "npm install" in this folder and Chromium; skipped (77) where they are missing.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { execFileSync } = require("child_process");

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
let chromium, axe, HtmlValidate;
try {
  ({ chromium } = require("playwright-core"));
  axe = require("axe-core").source;
  ({ HtmlValidate } = require("html-validate"));
} catch (e) {
  console.log("skipped: npm packages are not installed (npm install in tests/report)");
  process.exit(77);
}
if (!chromiumPath) {
  console.log("skipped: Chromium is not installed");
  process.exit(77);
}

let failures = 0;
function check(ok, what) {
  if (!ok) {
    failures++;
    console.log("FAILED: " + what);
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-report-"));
// Pages of made comparisons, and pages that the program writes.
const made = ["nights", "fifty", "small", "classes", "wide", "unlabelled", "alone", "hostile", "thousand"];
const files = {}, texts = {};
function add(name, file) {
  files[name] = file;
  texts[name] = fs.readFileSync(file, "utf8");
}
for (const name of made) {
  const file = path.join(folder, name + ".html");
  fs.writeFileSync(file, execFileSync(process.env.REPORT_PAGE, [name], { maxBuffer: 64 << 20 }));
  add(name, file);
}

// The demo, real tags where they are at hand, a classifier trained on a few made signals, and the experiment with it.
function write() {
  const source = process.env.STATEPATH_SOURCE, shared = process.env.STATEPATH_SHARED || "", at = (name) => path.join(folder, name);
  const run = (...args) => execFileSync(process.env.STATEPATH, [...args, "-q"], { stdio: ["ignore", "ignore", "inherit"] });
  run("compare", path.join(source, "datasets/sleep-demo.h5"), "--model", "sleep-strict", "--report", at("demo.html"), "--json", at("de mo#1.json"));
  add("demo", at("demo.html"));
  const tags = path.join(shared, "data/wnut17_linear");
  if (fs.existsSync(tags + ".h5")) {
    run("compare", tags + ".h5", "--model", tags + ".model.json", "--report", at("tags.html"));
    add("tags", at("tags.html"));
  } else {
    console.log("not tried: real tags, " + tags + ".h5 is absent");
  }
  const recipe = JSON.parse(fs.readFileSync(path.join(source, "datasets/sleep-signals.recipe.json"), "utf8"));
  Object.assign(recipe, { recordings: 3, steps: 12 });
  recipe.signals.test = 1;
  fs.writeFileSync(at("recipe.json"), JSON.stringify(recipe));
  run("simulate", at("recipe.json"), "-o", at("signals.h5"));
  run("train", at("signals.h5"), "-o", at("masked.h5"), "--epochs", "2", "--masking", "random-previous", "--model", "sleep-strict");
  run("train", at("signals.h5"), "-o", at("weights.h5"), "--epochs", "2", "--model", "sleep-strict", "--beside", at("masked.h5"),
      "--report", at("training.html"));
  add("training", at("training.html"));
  execFileSync("python3", [path.join(source, "models/network/experiment.py"), "--report", at("experiment.html")], { stdio: "inherit" });
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

async function open(browser, name, options) {
  const context = await browser.newContext(Object.assign({ viewport: { width: 1200, height: 900 } }, options));
  const page = await context.newPage();
  page.on("console", (m) => check(false, `${name}: console says: ${m.text()}`));
  page.on("pageerror", (e) => check(false, `${name}: script error: ${e.message}`));
  page.on("request", (r) => check(r.url().startsWith("file://" + folder), `${name}: requests ${r.url()}`));
  await page.goto("file://" + files[name]);
  return page;
}

// "fifty" and "thousand" are more of what "nights" has; axe and html-validate would take minutes for them, and axe for the tags.
const kinds = names.filter((name) => name !== "fifty" && name !== "thousand");

async function accessible(browser) {
  for (const name of kinds.filter((one) => one !== "tags"))
    for (const colorScheme of ["light", "dark"]) {
      // The policy of the page lets no script in but its own, so axe comes in from outside it.
      const page = await open(browser, name, { colorScheme, bypassCSP: true });
      await page.evaluate(() => document.querySelectorAll("details").forEach((d, i) => (d.open = i < 14)));
      await page.addScriptTag({ content: axe });
      const result = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
      for (const v of result.violations)
        check(false, `${name}, ${colorScheme}: axe: ${v.id}: ${v.help} (${v.nodes.length})\n  ${v.nodes[0].html.slice(0, 200)}`);
      await page.context().close();
    }
}

async function fits(browser) {
  for (const name of names) {
    const page = await open(browser, name, {});
    await page.evaluate(() => document.querySelectorAll("details").forEach((d, i) => (d.open = i < 14)));
    for (const width of [360, 400, 800, 1300, 1800]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `${name}: ${wide} pixels wide in a window of ${width}`);
    }
    await page.context().close();
  }
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
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  check((await page.locator("details:not([open]):not(.screen)").count()) === 0, "everything is open on paper, but what would take many sheets");
  check(await page.evaluate(() => [...document.querySelectorAll("details:not([open])")].every((d) => !d.checkVisibility())),
        "no closed fold stands on paper");
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  check((await page.locator("details[open]").count()) === 0, "and closed again afterwards");
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
  check((await page.locator("script").count()) === 1 && (await page.locator("img").count()) === 0, "a name became an element");
  check((await page.textContent("h1")).includes("<script>"), "the name is shown as it is");
  await page.context().close();
}

// No time is asserted: what makes a page slow is its size and the number of its elements, and these are. The times are printed.
async function quick(browser) {
  const limits = { fifty: [700e3, 16000], thousand: [750e3, 20000], demo: [500e3, 12000], tags: [700e3, 24000], classes: [800e3, 30000] };
  for (const name of names.filter((one) => limits[one])) {
    const page = await open(browser, name);
    const found = await page.evaluate(() => {
      const t = performance.getEntriesByType("navigation")[0];
      return { ready: t.domContentLoadedEventEnd, load: t.loadEventEnd, n: document.querySelectorAll("*").length };
    });
    const button = page.locator("section[aria-labelledby=recordings] table thead th:nth-child(4) button").first();
    const sort = await button.evaluate((b) => {
      const from = performance.now();
      b.click();
      document.body.getBoundingClientRect();
      return performance.now() - from;
    });
    const ms = (x) => Math.round(x) + " ms";
    console.log(`${name}: ${texts[name].length} bytes, ${found.n} elements, ready after ${ms(found.ready)}, loaded ${ms(found.load)}, sorted in ${ms(sort)}`);
    check(texts[name].length <= limits[name][0], `${name} takes ${texts[name].length} bytes, more than ${limits[name][0]}`);
    check(found.n <= limits[name][1], `${name} has ${found.n} elements, more than ${limits[name][1]}`);
    if (name === "thousand")
      check((await page.locator("section[aria-labelledby=recordings] table").first().locator("tbody tr").count()) === 1000,
            "all thousand recordings are in the table");
    await page.context().close();
  }
  check(/Drawn of 1,000 recordings/.test(texts.thousand), "the page of a thousand says which recordings it draws");
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
  const wanted = await page.locator("summary, th button, [tabindex='0'], a, button").evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);
  const seen = new Set();
  for (let i = 0; i < wanted + 20; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => { const e = document.activeElement; return e === document.body ? "" : (e.dataset.seen = e.dataset.seen || Math.random().toString()); }));
  }
  seen.delete("");
  check(seen.size >= wanted - 1, `keyboard: ${seen.size} stops of ${wanted}`);
  await page.locator("#run summary").focus();
  await page.keyboard.press("Enter");
  check(await page.locator("#run dl").isVisible(), "Enter opens a fold");
  await page.context().close();
}

(async () => {
  await validate();
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
  for (const part of [accessible, fits, sorts, themes, withoutScript, harmless, links, keyboard, quick]) await part(browser);
  await browser.close();
  fs.rmSync(folder, { recursive: true });
  console.log(failures ? `${failures} failed` : "all passed");
  process.exit(failures ? 1 : 0);
})().catch((e) => {
  console.log(e);
  process.exit(1);
});
