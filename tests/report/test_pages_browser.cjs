// Pages of every kind of data in headless Chromium, at the widths of a telephone, a tablet and a desk, in light and dark: accessible,
// no label of an axis covers another, nothing scrolls sideways, and the script draws what stands on the page. STATEPATH_LONG: of each
// page everything; else of three pages at two widths. STATEPATH_PICTURES names a folder for pictures, to be looked at.
"use strict";
const fs = require("fs"), os = require("os"), path = require("path");
const { need, check, open: openFile, axe, thin, layOut, unfold, run } = require("./browser.cjs");
need("axe-core");

const isLong = !!process.env.STATEPATH_LONG;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "statepath-pages-")), { at, program, inputs: pages } = require("./pages.cjs")(folder);
const names = isLong ? ["demo", "classes", "day", "many", "actions", "tags", "two", "six", "against"] : ["demo", "classes", "six"];
for (const name of names) program("compare", ...pages[name](), "--report", name + ".html", "--json", name + ".json");

async function open(browser, name, options) {
  const page = await openFile(browser, at(name + ".html"), Object.assign({ viewport: { width: 1280, height: 900 } }, options), { name });
  await unfold(page);
  return page;
}

// Texts of one drawing of which one covers the other by more than a pixel.
function overlaps() {
  const found = [];
  document.querySelectorAll("svg").forEach((svg) => {
    if (svg.parentElement.closest("svg") || !svg.checkVisibility()) return;
    const texts = [...svg.querySelectorAll("text:not(.illegal)")].filter((t) => t.textContent && !t.closest("defs") && t.checkVisibility())
      .map((t) => [t, t.getBoundingClientRect()]).filter((t) => t[1].width);
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
      const across = Math.min(p.right, q.right) - Math.max(p.left, q.left), down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      // Lines of letters are higher than the letters.
      if (across > 1 && down > 0.3 * Math.min(p.height, q.height))
        found.push(`"${a.textContent}" and "${b.textContent}" of ${(svg.querySelector("title") || svg.closest("figure, section")).textContent.trim().slice(0, 40)}`);
    }));
  });
  return found;
}

// The page with everything in it: folds open, the decoder started.
async function openAll(browser, name) {
  const page = await open(browser, name);
  await page.evaluate(() => document.querySelectorAll("details").forEach((d, i) => (d.open = i < 14)));
  await layOut(page);
  const tool = page.locator("#what-if-tool");
  if (await tool.count()) {
    await tool.scrollIntoViewIfNeeded();
    await page.waitForSelector("#what-if-tool[data-state]");
  }
  return page;
}

async function atEachWidth(browser) {
  for (const name of names) {
    const began = Date.now(), page = await openAll(browser, name), widths = isLong ? [390, 768, 1280] : [390, 1280];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(400); // names are drawn anew for the width
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `${name}: ${wide} pixels wide in a window of ${width}`);
      const covered = await page.evaluate(overlaps);
      check(covered.length === 0, `${name}, ${width}: ${covered.length} labels cover others: ${covered.slice(0, 4).join("; ")}`);
      for (const colorScheme of process.env.STATEPATH_PICTURES ? ["light", "dark"] : []) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: path.join(process.env.STATEPATH_PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
    const all = await page.evaluate(() => document.querySelectorAll("*").length), left = await page.evaluate(thin);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of isLong || width === 390 ? ["light", "dark"] : ["light"]) {
        await page.emulateMedia({ colorScheme });
        // The rules of form are those of the first look; later only what a width or a colour can change.
        const isFirst = width === 390 && colorScheme === "light";
        const options = isFirst ? {} : { runOnly: colorScheme === "dark" ? ["color-contrast"] : ["color-contrast", "scrollable-region-focusable", "target-size"] };
        await axe(page, `${name}, ${width}, ${colorScheme}`, options);
      }
    }
    console.log(`${name}: ${all} elements, of which axe looked at ${left}; ${Math.round((Date.now() - began) / 1000)} seconds`);
    await page.context().close();
  }
}

// The script draws a recording as the page does: paths, names on runs, shades of errors; marks, where it has as many places for them.
async function drawnAlike(browser) {
  for (const name of names) {
    const page = await open(browser, name);
    const [n, wrong] = await page.evaluate(() => {
      const list = (svg, selector, key) => [...svg.querySelectorAll(selector)].map((e) => e.getAttribute(key)).sort().join();
      const shapes = (plot, steps) => [...plot.querySelectorAll(".rows > svg")].filter((svg) => svg.querySelector(".run")).map((svg) =>
        [svg.getAttribute("height"), list(svg, ".run", "d"), list(svg, ".error", "class"), list(svg, ".thin", "class"), [...svg.querySelectorAll(".on-run")].map((e) => e.getAttribute("class") + e.textContent).join(),
         steps > 500 ? "" : svg.querySelectorAll("use[href='#ill']").length].join("|"));
      const open = window.statepath.views.filter((view) => !view.plot.closest("details"));
      return [open.length, open.flatMap((view) => {
        const before = shapes(view.plot, view.one.n);
        view.zoom(0, view.one.n / 2, true);
        view.zoom(0, view.one.n, true);
        const after = shapes(view.plot, view.one.n);
        return before.length === after.length ? before.map((text, i) => [text, after[i]]).filter(([a, b]) => a !== b).map(([a, b]) => view.one.id + ": " + a.slice(0, 160) + " <> " + b.slice(0, 160))
          : [`${view.one.id}: ${before.length} tracks, ${after.length} of the script`];
      })];
    });
    check(n > 0 && wrong.length === 0, `${name}: the script draws otherwise: ${wrong.slice(0, 2).join("\n  ")}`);
    await page.context().close();
  }
}

// How long they take to open: measure.cjs.
async function small() {
  const scores = /(?<=id="what-if-scores">)[^<]*/; // up to 5 MB of them
  for (const name of names) {
    const bytes = Buffer.byteLength(fs.readFileSync(at(name + ".html"), "utf8").replace(scores, ""));
    check(bytes < 1e6, `${name} takes ${bytes} bytes beside scores`);
  }
}

// Recordings and steps are called as the kind of work has it, in what C writes and in what the script adds: read, heard, or shown on demand.
async function inItsWords(browser) {
  const wanted = { demo: [pages.demo, "Epoch", "Night"], tags: [pages.tags, "Token", "Sentence"], cooking: [pages.cooking, "Frame", "Video"] };
  for (const [name, [inputs, step, recording]] of Object.entries(wanted)) {
    program("compare", ...inputs(), "--report", "words-" + name + ".html");
    const page = await open(browser, "words-" + name), told = [];
    const tell = async () => told.push(await page.evaluate(() => {
      const spoken = [...document.body.querySelectorAll("[aria-label], [aria-roledescription], [title]")].flatMap((e) =>
        ["aria-label", "aria-roledescription", "title"].map((key) => e.getAttribute(key) || ""));
      const copy = document.body.cloneNode(true);
      copy.querySelectorAll("script, style").forEach((e) => e.remove());
      return copy.textContent + " " + spoken.join(" ");
    }));
    await page.waitForSelector("#what-if-tool[data-state]");
    await tell();
    check(told[0].includes(`${step} by ${step.toLowerCase()}`) && told[0].includes(`Any ${recording.toLowerCase()}`), `${name}: words of the page`);
    await page.locator("#what-if-tool .what-if-rules tbody button").nth(3).click();
    const plot = page.locator(".stepplot").first();
    await plot.focus();
    await page.keyboard.press("Home");
    check((await page.locator(".readout").first().textContent()).startsWith(`${step} ${name === "demo" ? 1 : 0}`), `${name}: epochs are counted from 1, others from 0`);
    await page.keyboard.press("End");
    await tell();
    check(new RegExp(`^${step} \\d`).test(await page.locator(".readout").first().textContent()), `${name}: the readout says ${step}`);
    await page.locator("table[data-counts=confusion] td button").first().click();
    await tell();
    check(told[2].includes(` ${step.toLowerCase()}s, by ${recording.toLowerCase()}`), `${name}: the list of a cell`);
    await page.keyboard.press("Escape");
    const links = await page.locator("section[aria-labelledby=recordings] tbody th a").count();
    check(links > 3 && (await page.locator("section[aria-labelledby=legality] td a").count()) > 0, `${name}: rows and worst ${recording} are links: ${links}`);
    for (const text of told) {
      const left = /.{0,40}(\b(recordings?|steps?)\b|\{(recording|step)).{0,40}/i.exec(text.replace(/epoch_seconds/g, ""));
      check(!left, `${name}: other words are left: ${left && left[0]}`);
    }
    await page.context().close();
  }
}

run([atEachWidth, drawnAlike, inItsWords, small], () => fs.rmSync(folder, { recursive: true }));
