// Sizes of pages and how long they take to open and to answer, as a table: `./dev test --long times`, or of some of the pages: node measure.cjs
// demo tags. Nothing is asserted but that each page opens; times are of the machine that it runs on.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { check, patience, run } = require("./browser.cjs"), { median, opening, changes, noteTasks } = require("./times.cjs");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-times-")), { at, program, inputs } = require("./pages.cjs")(folder);
const rows = [["demo", "20 nights, the demo"], ["hundred", "100 nights"], ["thousands", "2,000 nights"], ["day28", "a day at 1 s, 28 classes"],
  ["tags", "sentences with tags"], ["classes59", "59 classes"], ["classes64", "64 classes"]];
const OPENED = 5, CHANGED = 9;

// What if: when it is ready, the longest task until then, and how long a change of a rule takes; nothing where the page has none.
async function answers(browser, name) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.on("pageerror", (e) => check(false, `${name}: script error: ${e.message}`));
  await noteTasks(page);
  await page.goto("file://" + at(name + ".html"));
  const tool = page.locator("#what-if-tool");
  let found = null;
  if (await tool.count()) {
    await tool.scrollIntoViewIfNeeded();
    await page.waitForSelector("#what-if-tool[data-state=ready]:not([data-busy])");
    const [ready, longest] = await page.evaluate(() => [performance.now(), window.longest]);
    found = { ready, longest, change: median(await changes(page, CHANGED)) };
  }
  await context.close();
  return found;
}

async function table(browser) {
  const whole = (n) => (n === undefined || isNaN(n) ? "–" : Math.round(n).toLocaleString("en-US"));
  const task = (n) => (n === 0 ? "< 50" : whole(n));
  console.log("| page | bytes | recordings in What if | first paint | script done | longest task | What if ready | longest task until then | a rule changed |");
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const [name, words] of rows.filter(([name]) => !chosen.length || chosen.includes(name))) {
    program("compare", ...inputs[name](), "--report", name + ".html");
    const text = fs.readFileSync(at(name + ".html"), "utf8"), held = /holds the scores of ([\d,]+) of ([\d,]+)/.exec(text);
    const seen = await opening(browser, at(name + ".html"), OPENED), what = (await answers(browser, name)) || {};
    console.log("| " + [words, whole(Buffer.byteLength(text)), held ? `${held[1]} of ${held[2]}` : "–", whole(median(seen["first paint"])), whole(median(seen["script done"])),
      task(median(seen["longest task"])), whole(what.ready), task(what.longest), whole(what.change)].join(" | ") + " |");
  }
  console.log(`Times in ms, medians of ${OPENED} openings and of ${CHANGED} changes; ${os.cpus().length} processors, load ${os.loadavg()[0].toFixed(1)}.`);
}

const chosen = process.argv.splice(2); // run() would take them for names of parts
run([table], () => fs.rmSync(folder, { recursive: true }));
