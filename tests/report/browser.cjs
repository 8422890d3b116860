// What the tests in headless Chromium share: the browser, what is skipped (77) without it, and how failures are counted.
"use strict";
const fs = require("fs");

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
const patience = 180e3; // milliseconds that a browser on a busy machine is given
let failures = 0;

function skip(why) {
  console.log("skipped: " + why);
  process.exit(77);
}

// The packages of the tests by name; skipped where they or Chromium are missing.
function need(...names) {
  let found;
  try {
    found = names.map((name) => require(name));
  } catch (e) {
    skip("npm packages are not installed (npm install in tests/report)");
  }
  if (!chromiumPath) skip("Chromium is not installed");
  return found;
}

function check(ok, what) {
  if (!ok) {
    failures++;
    console.log("FAILED: " + what);
  }
  return ok;
}

// A page in a context of its own: what it says on the console, an error of its script, and a request that is not its own are failures.
async function open(browser, file, options, { name, hash = "", isOwn = (url) => /^(file|blob):/.test(url), isSilent = true, before }) { // before: a script that runs before those of the page
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  if (isSilent) {
    page.on("console", (m) => check(false, `${name}: console says: ${m.text()}`));
    page.on("pageerror", (e) => check(false, `${name}: script error: ${e.message}`));
    page.on("request", (r) => check(isOwn(r.url()), `${name}: requests ${r.url()}`));
  }
  if (before) await page.addInitScript(before);
  await page.goto("file://" + file + hash);
  return page;
}

// What axe says of a page, or of a part of it. The policy of the page lets no script in but its own, so axe comes in from outside it.
async function axe(page, what, options, context) {
  if (!(await page.evaluate(() => "axe" in window))) {
    const client = await page.context().newCDPSession(page);
    await client.send("Runtime.evaluate", { expression: need("axe-core")[0].source });
    await client.detach();
  }
  const { violations } = await page.evaluate(([context, options]) => window.axe.run(context || document, options), [context, { resultTypes: ["violations"], ...options }]);
  for (const v of violations) check(false, `${what}: axe: ${v.id}: ${v.help} (${v.nodes.length})\n  ${v.nodes[0].html.slice(0, 200)}`);
}

// Leaves of items and marks that have the same elements, classes and attributes the first two of each parent, and the rows in which a kind of
// cell stands for the first or second time: what axe says of these it says of all, and it takes minutes for the thousands.
function thin() {
  const values = /^(class|role|scope|type|tabindex|hidden|disabled|aria-hidden|aria-pressed|aria-sort)$/;
  const shape = (e) => e.tagName + [...e.attributes].map((a) => a.name + (values.test(a.name) ? "=" + a.value : "")) + (e.textContent.trim() ? " text" : "") +
    "(" + [...e.children].map(shape) + ")";
  document.querySelectorAll("tbody, ul, ol, select, svg, svg g").forEach((parent) => {
    const seen = {};
    [...parent.children].forEach((child) => {
      if (child.id || child.querySelector("[id]")) return;
      const keys = child.tagName === "TR" ? [...new Set([...child.children].map(shape))] : [shape(child)];
      keys.forEach((key) => (seen[key] = (seen[key] || 0) + 1));
      if (keys.every((key) => seen[key] > 2)) child.remove();
    });
  });
  return document.querySelectorAll("*").length;
}

// Clicks what brings a file: its name and its bytes.
async function save(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return [download.suggestedFilename(), fs.readFileSync(await download.path())];
}

// Opens all sections that are folded, and the recordings that printing opens.
const unfold = (page) => page.evaluate(() => document.querySelectorAll("details.section, details.printed").forEach((fold) => (fold.open = true)));
// Lays out all sections, folded and out of sight ones too: widths and overlaps are those of the whole page.
async function layOut(page) {
  await unfold(page);
  await page.evaluate(() => document.querySelectorAll("main > section").forEach((s) => (s.style.contentVisibility = "visible")));
}

// Scrolls there. What comes near is laid out, which may move what is in sight: until it stays.
async function scrollTo(locator) {
  const top = () => locator.evaluate((e) => new Promise((done) => {
    e.scrollIntoView({ block: "center", behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(() => done(e.getBoundingClientRect().top)));
  }));
  for (let before = NaN, now = await top(); now !== before; now = await top()) before = now;
}

// Runs the parts one after the other in one browser, those named on the command line or all, then ends the process.
function run(parts, atEnd) {
  const [{ chromium }] = need("playwright-core"), wanted = process.argv.slice(2);
  (async () => {
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    for (const part of parts.filter(({ name }) => !wanted.length || wanted.includes(name))) {
      const began = Date.now();
      await part(browser);
      console.log(`${part.name}: ${((Date.now() - began) / 1000).toFixed(1)} seconds`);
    }
    await browser.close();
    atEnd();
    console.log(failures ? `${failures} failed` : "all passed");
    process.exit(failures ? 1 : 0);
  })().catch((e) => {
    console.log(e);
    process.exit(1);
  });
}

module.exports = { need, skip, check, patience, open, axe, thin, save, layOut, unfold, scrollTo, run };
