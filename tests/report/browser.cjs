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
    for (const part of parts) if (!wanted.length || wanted.includes(part.name)) await part(browser);
    await browser.close();
    atEnd();
    console.log(failures ? `${failures} failed` : "all passed");
    process.exit(failures ? 1 : 0);
  })().catch((e) => {
    console.log(e);
    process.exit(1);
  });
}

module.exports = { need, skip, check, patience, layOut, unfold, scrollTo, run };
