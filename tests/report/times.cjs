// How long a page takes to open and to answer, by the clock of the browser, in milliseconds.
"use strict";
const { patience } = require("./browser.cjs");

const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

// Opens the page n times, each in a new context: of each time that it takes a list. "own thread" is the time of the page's own thread, which
// other programs do not lengthen.
async function opening(browser, file, n) {
  const seen = { "first paint": [], "script done": [], loaded: [], "longest task": [], "own thread": [] };
  for (let i = 0; i < n; i++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(patience);
    const page = await context.newPage(), client = await context.newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => (await client.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
    await noteTasks(page);
    const before = await busy();
    await page.goto("file://" + file);
    seen["own thread"].push((await busy()) - before);
    const found = await page.evaluate(() => new Promise((done) => setTimeout(() => {
      const times = performance.getEntriesByType("navigation")[0], paint = performance.getEntriesByName("first-contentful-paint")[0];
      done([paint ? paint.startTime : NaN, times.domContentLoadedEventEnd, times.loadEventEnd, window.longest]);
    }, 100)));
    ["first paint", "script done", "loaded", "longest task"].forEach((name, k) => seen[name].push(found[k]));
    await context.close();
  }
  return seen;
}

// Allows and forbids a transition in What if, n times in all, once its section is ready: of each click the time to the frame that shows what it
// changes in all recordings of the page.
const changes = (page, n) => page.evaluate(async (n) => {
  const tool = document.getElementById("what-if-tool"), frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const cell = [...tool.querySelectorAll(".what-if-rules td button")].find((button) => / to .*: forbidden/.test(button.getAttribute("aria-label")));
  const seen = [];
  for (let i = 0; i < n; i++) {
    await new Promise((done) => setTimeout(done, 300));
    const from = performance.now();
    cell.click();
    do await frame(); while ("busy" in tool.dataset);
    seen.push(performance.now() - from);
  }
  return seen;
}, n);

// Notes the longest task of a page from its beginning on: window.longest, 0 where none takes the 50 ms from which on browsers report them.
const noteTasks = (page) => page.addInitScript(() => {
  window.longest = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((task) => (window.longest = Math.max(window.longest, task.duration)))).observe({ type: "longtask", buffered: true });
});

module.exports = { median, opening, changes, noteTasks };
