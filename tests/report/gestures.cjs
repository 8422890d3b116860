// Step plots, links and dialogues of the page, each gesture by mouse, touch and keyboard. Parts of test_browser.cjs.
"use strict";

module.exports = function ({ open: openPage, save, check, scrollTo, texts, fs, json: twin }) {
  const readout = (page, i = 0) => page.locator(".readout").nth(i).textContent();
  // The address follows a quarter of a second after the reader stops (leads() waits for that): what waits so long is done at once. What the mouse or
  // the fingers did has reached the page two frames later.
  function atOnce() {
    const timers = new Map(), { setTimeout, clearTimeout } = window;
    window.setTimeout = (call, ms, ...rest) => {
      const id = setTimeout.call(window, (...given) => { timers.delete(id); call(...given); }, ms, ...rest);
      if (ms === 250) timers.set(id, call);
      return id;
    };
    window.clearTimeout = (id) => { timers.delete(id); clearTimeout.call(window, id); };
    window.stop = () => [...timers].forEach(([id, call]) => { window.clearTimeout(id); call(); });
  }
  const open = (browser, name, options, hash) => openPage(browser, name, options, hash, atOnce);
  const hash = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    window.stop();
    done(decodeURIComponent(location.hash));
  }))));
  // Is that where the address leads, now or soon?
  const leads = (page, pattern) => page.waitForFunction((p) => new RegExp(p).test(decodeURIComponent(location.hash)), pattern, { timeout: 10000 }).then(() => true, () => false);
  const zoomed = (text) => (/zoom=(\d+)-(\d+)/.exec(text) || []).slice(1).map(Number);
  const area = (page, i = 0) => page.locator(".stepplot").nth(i).locator(".rows > svg").first().boundingBox();

  // What the page says of a step is what the JSON of the same run says.
  async function reading(browser) {
    const page = await open(browser, "demo", { viewport: { width: 1300, height: 1000 } });
    const json = JSON.parse(fs.readFileSync(twin, "utf8"));
    const wrong = await page.evaluate((places) => {
      const wrong = [], { byId, steps, breaks, nameOf, className, data } = window.statepath;
      let n = 0;
      for (const place of places) {
        const one = steps(byId[place.recording]);
        const by = [];
        one.paths.forEach((path, s) => {
          const said = place.said[nameOf(s)];
          if ((said[1] === null ? "none" : said[1]) !== className(path[place.step])) wrong.push(`${place.recording} ${place.step} ${nameOf(s)}`);
          if (breaks(one, path, place.step)) by.push(nameOf(s));
        });
        if (by.join() !== place.by.join()) wrong.push(`${place.recording} ${place.step}: ${by}`);
        n++;
      }
      const all = data.recordings.reduce((sum, one) => sum + steps(one).places.length, 0);
      if (all !== n) wrong.push(`${all} places in the page, ${n} in the JSON`);
      return wrong;
    }, json.illegal_places);
    check(json.illegal_places.length > 500 && wrong.length === 0, "illegal steps of the page and of the JSON: " + wrong.slice(0, 3).join("; "));
    check(await page.evaluate((per) => per.every((r) => Math.abs((window.statepath.steps(window.statepath.byId[r.id]).right[0]) - r.accuracy) < 1e-12),
      json.strategies.argmax.per_recording), "the accuracy of each recording from its steps in the page is the program's");
    // Minutes in stages beside a plot, those of the reference last: the evaluation's.
    const ofNight = (night) => ["wake", "rem", "n1", "n2", "n3"].map((key) => night[key].toFixed(1)).join(" "), { reference, strategies: decoded } = json.sleep;
    const otherMinutes = await page.evaluate((nights) => window.statepath.data.recordings.filter((one) => one.m.join() !== nights[one.id].join()).length,
      Object.fromEntries(reference.nights.map((night, n) => [night.id, [...Object.values(decoded).map((s) => ofNight(s.nights[n])), ofNight(night)]])));
    check(otherMinutes === 0, `minutes in stages of ${otherMinutes} recordings are not the program's`);
    // Links of cells such as "r10, 562", where the longest error of a strategy begins.
    const longest = await page.evaluate(() => {
      const head = document.querySelector("th[data-holds=place]"), rows = [...head.closest("table").tBodies[0].rows];
      return rows.map((row) => row.cells[head.cellIndex]).map((cell) => [cell.textContent, (cell.querySelector("a") || { hash: "" }).hash]);
    });
    for (const { error_runs: runs } of Object.values(json.strategies).filter((s) => s.error_runs))
      check(longest.some(([text, address]) => text === `${runs.longest_recording}, ${runs.longest_step + 1}` && address === `#night=${runs.longest_recording}&t=${runs.longest_step}`),
        `the longest error begins at ${runs.longest_recording}, ${runs.longest_step}: ${longest.join("; ")}`);
    // The line below a plot: time, reference, class under every strategy, probabilities.
    const { recording, step, said, by } = json.illegal_places.find((place) => place.recording === "r04" && place.step > 100), strategies = Object.keys(json.strategies);
    await page.evaluate(([id, t]) => window.statepath.open(id, t), [recording, step]);
    const line = await readout(page), seconds = step * 30;
    const time = [Math.floor(seconds / 3600), ...[Math.floor(seconds / 60) % 60, seconds % 60].map((n) => String(n).padStart(2, "0"))].join(":");
    for (const words of [`Epoch ${step + 1}, ${time}`, `reference ${said.reference[1]}`, ...strategies.map((s) => `${s} ${said[s][1]}` + (by.includes(s) ? ` illegal after ${said[s][0]}` : ""))])
      check(line.includes(words), `the line at step ${step} of ${recording} says ${words}: ${line}`);
    const shares = [.../scores (.*)$/.exec(line)[1].matchAll(/ ([01]\.\d\d)/g)].map((m) => Number(m[1]));
    check(shares.length > 1 && Math.abs(shares.reduce((a, b) => a + b) - 1) < 0.03, `and probabilities that sum to 1: ${shares}`);
    await page.context().close();
  }

  // The first screen: before and after, either or both, by buttons, touch, and the key f.
  // What the page is about is in sight at once: the answer, the rules, the figures, a picture of what rules did.
  async function firstScreen(browser) {
    for (const options of [{ viewport: { width: 1400, height: 900 } }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]) {
      const page = await open(browser, "demo", options), bottom = async (selector) => { const box = await page.locator(selector).first().boundingBox(); return box.y + box.height; };
      const isWide = options.viewport.width > 1000;
      check((await bottom(".headline")) < options.viewport.height, `the first screen of ${options.viewport.width} pixels shows the answer`);
      if (process.env.STATEPATH_MODULE && fs.existsSync(process.env.STATEPATH_MODULE)) {
        await page.waitForSelector("#what-if-tool[data-state=ready]");
        for (const selector of isWide ? [".what-if-rules", ".what-if-figures", "#what-if-tool figure .track:last-of-type"] : [])
          check((await bottom(selector)) < 900, `and ${selector}, down to ${await bottom(selector)}`);
        const names = (await page.locator("#what-if-tool figure .track .name").allTextContents()).map((text) => /^[a-z]*/.exec(text)[0]);
        check(names.join() === "reference,argmax,viterbi,time", "the reference above argmax and Viterbi: " + names);
        check((await page.locator("#what-if-tool figure use[href='#ill']").count()) > 3, "where argmax breaks rules");
        if (!isWide) {
          await page.locator(".what-if-rules tbody tr").last().evaluate((row) => row.scrollIntoView({ block: "start", behavior: "instant" }));
          const lead = await page.locator(".what-if-lead").boundingBox();
          check(lead.y >= 0 && lead.y < 120, `figures stay while the matrix scrolls: ${lead.y}`);
        }
      }
      check((await page.locator("header", { hasText: "Made-up data" }).count()) === 1, "the page says that its data are made up");
      await page.context().close();
    }
  }

  async function byKeyboard(browser) {
    const page = await open(browser, "demo", {});
    const plot = page.locator(".stepplot").first();
    await plot.focus();
    await page.keyboard.press("Home");
    check(/^Epoch 1, 0:00:00; reference /.test(await readout(page)), "Home reads the first step: " + await readout(page));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    check(/^Epoch 3, 0:01:00; /.test(await readout(page)) && /scores .* \d\.\d\d/.test(await readout(page)), "arrows go step by step: " + await readout(page));
    check((await page.locator(".readout").first().getAttribute("aria-live")) === "polite", "what the keys read is spoken");
    await page.keyboard.press("n");
    const first = await readout(page), place = zoomed(await hash(page));
    check(/illegal after/.test(first), "n goes to an illegal step: " + first);
    check(place.length === 2 && place[1] - place[0] === 120, "and enlarges around it: " + place);
    await page.keyboard.press("n");
    const second = await readout(page);
    await page.keyboard.press("p");
    check(second !== first && (await readout(page)) === first, "p goes back");
    await page.keyboard.press("+");
    check(zoomed(await hash(page))[1] - zoomed(await hash(page))[0] === 60, "plus halves what is in sight");
    await page.keyboard.press("-");
    await page.keyboard.press("0");
    check(!/zoom/.test(await hash(page)), "0 shows the whole: " + await hash(page));
    await page.keyboard.press("End");
    await page.keyboard.press("n");
    check(/^#night=(?!r04&)/.test(await hash(page)), "past the last illegal step comes the next recording: " + await hash(page));
    const there = await hash(page);
    await page.keyboard.press("p");
    check(/^#night=r04&t=\d+/.test(await hash(page)), `and p goes back to the last of the one before: ${there}, ${await hash(page)}`);
    await page.keyboard.press("+");
    const part = zoomed(await hash(page));
    await page.keyboard.press("PageUp");
    const up = zoomed(await hash(page));
    await page.keyboard.press("PageDown");
    check(up[1] - up[0] === part[1] - part[0] && up[0] < part[0] && zoomed(await hash(page))[0] > up[0], `PageUp and PageDown move what is in sight: ${part} to ${up}`);
    const axis = await page.locator(".stepplot").first().locator(".ticks text").allTextContents();
    check((await page.locator(".stepplot").first().locator(".unit").textContent()) === "hours" && axis.length > 2 && axis.every((t) => /^\d+:\d\d(:\d\d)?$/.test(t)), "the axis tells the time: " + axis);
    await page.keyboard.press("Escape");
    check(!/zoom/.test(await hash(page)), "Escape shows the whole");
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    check(/^Epoch 50,/.test(await readout(page)), "Shift takes a twentieth of what is in sight at a time: " + (await readout(page)));
    await page.keyboard.press("ArrowLeft");
    check(/^Epoch 49,/.test(await readout(page)), "the left arrow goes back");
    await page.context().close();
  }

  async function byMouse(browser) {
    const page = await open(browser, "demo", { viewport: { width: 1300, height: 1000 } });
    await scrollTo(page.locator(".stepplot").first());
    let box = await area(page);
    await page.mouse.move(box.x + box.width / 2, box.y + 30);
    const middle = Number(/^Epoch ([\d,]+)/.exec(await readout(page))[1].replace(/,/g, ""));
    check(Math.abs(middle - 987 / 2) < 3, "pointing reads the step under the pointer: " + middle);
    await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 60, { steps: 4 });
    check(await page.locator(".brush").first().isVisible(), "dragging shows what it takes");
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const [from, to] = zoomed(await hash(page));
    check(Math.abs(from - 247) < 4 && Math.abs(to - 494) < 4, `dragging over a quarter shows it: ${from} to ${to}`);
    const shown = await page.locator(".stepplot").first().locator(".rows > svg > svg").evaluateAll((all) => all.map((svg) => svg.viewBox.baseVal.width));
    check(shown.length === 5 && new Set(shown.slice(0, 4)).size === 1, "all lanes show the same stretch: " + shown);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    const after = zoomed(await hash(page));
    check(Math.abs((after[1] - after[0]) - (to - from) / 2) < 3, "Ctrl and the wheel enlarge: " + after);
    await page.mouse.wheel(box.width / 10, 0);
    const moved = zoomed(await hash(page));
    check(Math.abs(moved[0] - after[0] - (after[1] - after[0]) / 10) < 3 && moved[1] - moved[0] === after[1] - after[0], `the wheel sideways moves what is in sight: ${after} to ${moved}`);
    await page.mouse.click(box.x + box.width / 2, box.y + 30);
    check(/t=\d+/.test(await hash(page)), "a click keeps the step in the address");
    const address = await page.evaluate(() => location.href), kept = await readout(page);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 30);
    check(!/zoom/.test(await hash(page)), "a double click shows the whole");
    // The address brings the place back.
    const again = await page.context().newPage();
    await again.goto(address);
    check((await again.locator(".readout").first().textContent()) === kept, "the address keeps the place");
    await again.close();
    for (const [name, is] of [["Show fewer epochs", 494], ["Show more epochs", 987]]) {
      await page.locator("#steps ~ figure .tools").first().getByLabel(name).click();
      const zoom = zoomed(await hash(page));
      check(Math.abs((zoom.length ? zoom[1] - zoom[0] : 987) - is) < 2, `${name}: ${zoom}`);
    }
    await page.locator("#steps ~ figure .tools").first().getByLabel("Next illegal epoch").click();
    check(/illegal/.test(await readout(page)), "the button goes to an illegal step");
    const first = await readout(page);
    await page.locator("#steps ~ figure .tools").first().getByLabel("Next illegal epoch").click();
    await page.locator("#steps ~ figure .tools").first().getByLabel("Previous illegal epoch").click();
    check((await readout(page)) === first, "and its neighbour back");
    // An address that is changed while the page is open leads there, and so does going back.
    await page.evaluate(() => (location.hash = "#night=r13&t=400&zoom=380-440"));
    await page.waitForFunction(() => /^Epoch 401,/.test(document.activeElement.parentNode.querySelector(".readout")?.textContent || ""));
    check((await page.locator("#any select").inputValue()) === "r13" && (await hash(page)) === "#night=r13&t=400&zoom=380-440", "an address leads to its place: " + (await hash(page)));
    await page.context().close();
  }

  async function byTouch(browser) {
    const page = await open(browser, "demo", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await scrollTo(page.locator(".stepplot").first());
    const box = await area(page);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + 30);
    check(/^Epoch (48|49|50)\d/.test(await readout(page)), "a tap reads: " + await readout(page));
    const client = await page.context().newCDPSession(page), y = box.y + 30;
    const touch = (type, ...xs) => client.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x, y, id })) });
    await touch("touchStart", box.x + box.width * 0.4);
    await touch("touchStart", box.x + box.width * 0.4, box.x + box.width * 0.6);
    for (const d of [0.15, 0.2, 0.3]) await touch("touchMove", box.x + box.width * (0.5 - d), box.x + box.width * (0.5 + d));
    await touch("touchEnd");
    const zoom = zoomed(await hash(page));
    check(zoom.length === 2 && zoom[1] - zoom[0] < 400 && zoom[1] - zoom[0] > 250, "two fingers enlarge: " + zoom);
    await page.locator("#steps ~ figure .tools").first().getByLabel("Show the whole night").tap();
    check(!/zoom/.test(await hash(page)), "the button shows the whole");
    await touch("touchStart", box.x + box.width * 0.3);
    for (const x of [0.35, 0.4, 0.45]) await touch("touchMove", box.x + box.width * x);
    await page.waitForTimeout(100); // what is drawn once a frame
    const dragged = await readout(page);
    await touch("touchEnd");
    check(/^Epoch 4[34]\d/.test(dragged), "one finger reads as it moves: " + dragged);
    await page.locator("#steps ~ figure .tools").first().getByLabel("Next illegal epoch").tap();
    check(/illegal/.test(await readout(page)), "a button goes to an illegal step");
    await scrollTo(page.locator("svg.opens:has(circle[data-r])").first());
    const dot = await page.locator("svg.opens circle[data-r]").first().boundingBox();
    await page.touchscreen.tap(dot.x + dot.width / 2, dot.y + dot.height / 2);
    check(/^#night=r\d\d$/.test(await hash(page)), "a tap on a dot opens its recording: " + (await hash(page)));
    await page.locator("section[aria-labelledby=recordings] tbody a").nth(4).tap();
    check((await hash(page)) === "#night=r05", "a tap on a row too: " + (await hash(page)));
    await page.locator("section[aria-labelledby=places] tbody a").nth(2).tap();
    check(/^#night=r01&t=15/.test(await hash(page)), "and on an illegal step: " + (await hash(page)));
    await page.locator("section[aria-labelledby=recordings] thead button").nth(3).tap();
    check((await page.locator("section[aria-labelledby=recordings] th[aria-sort=ascending]").count()) === 1, "a tap on a head sorts");
    await page.locator("table[data-counts=transitions] td button").first().tap();
    check(await page.locator("dialog[open] li").count() > 0, "a tap on an illegal pair lists its steps");
    await page.locator("dialog[open] button").tap();
    await page.locator("table[data-counts=confusion] td button").nth(1).tap();
    check(await page.locator("dialog[open] li").count() > 3, "a tap on a cell lists its steps");
    await page.locator("dialog[open] button").tap();
    check((await page.locator("dialog[open]").count()) === 0, "and a button closes the list");
    await page.context().close();
  }

  async function cells(browser) {
    const page = await open(browser, "demo", {});
    for (const kind of ["confusion", "transitions"]) {
      const table = page.locator(`table[data-counts=${kind}]`).first(), cell = table.locator("td button").first();
      const n = (await cell.textContent()).replace(/,/g, "");
      await cell.focus();
      await page.keyboard.press("Enter");
      const note = await page.locator("dialog[open] p").textContent();
      check(note.replace(/,/g, "").startsWith(`${n} of ${n} epochs`), `${kind}: a cell lists all its steps: ${n}: ${note}`);
      await page.keyboard.press("Escape");
      check(await cell.evaluate((e) => e === document.activeElement), `${kind}: Escape goes back to the cell`);
      await page.keyboard.press("ArrowRight");
      check(await page.evaluate(() => document.activeElement.closest("td") !== null) && !(await cell.evaluate((e) => e === document.activeElement)),
            `${kind}: arrows go from cell to cell`);
      check((await table.locator("td button[tabindex='0']").count()) === 1, `${kind}: one stop for the tabulator`);
      const name = await cell.getAttribute("aria-label");
      check(/^[\d,]+: .*List the epochs$/.test(name), `${kind}: the cell says what it does: ${name}`);
    }
    // Off-diagonal counts of each matrix are those of the steps in the page.
    const wrong = await page.evaluate(() => {
      const { data, steps } = window.statepath, K = data.classes.length, wrong = [];
      document.querySelectorAll("table[data-counts=confusion]").forEach((table) => {
        const s = Number(table.dataset.s), counts = new Array(K * K).fill(0);
        data.recordings.forEach((one) => {
          const { paths } = steps(one), labels = paths[paths.length - 1];
          labels.forEach((k, t) => { if (k >= 0 && paths[s][t] >= 0) counts[k * K + paths[s][t]]++; });
        });
        for (let i = 0; i < K; i++)
          for (let j = 0; j < K; j++) {
            const cell = table.tBodies[0].rows[i].cells[j + 1], n = Number((cell.querySelector("button") || cell.firstChild).textContent.replace(/,/g, ""));
            if (n !== counts[i * K + j]) wrong.push([s, i, j, n, counts[i * K + j]]);
          }
      });
      return wrong;
    });
    check(wrong.length === 0, "confusion matrices from the steps of the page: " + wrong.slice(0, 3).join("; "));
    await page.locator("table[data-counts=confusion] td button").nth(1).click();
    const [address, number] = await page.locator("dialog[open] a").nth(1).evaluate((a) => [a.hash, a.textContent]);
    check(Number(/t=(\d+)/.exec(address)[1]) + 1 === parseInt(number, 10), `epochs are counted from 1, in addresses from 0: ${number}, ${address}`);
    await page.locator("dialog[open] a").nth(1).click();
    check(/^#night=.*&t=\d+/.test(await hash(page)) && (await page.locator("dialog[open]").count()) === 0, "a place of the list leads to its step");
    check(await page.evaluate(() => document.activeElement.classList.contains("stepplot")), "and its plot has the focus");
    await page.context().close();
  }

  async function dots(browser) {
    const page = await open(browser, "demo", {});
    const charts = page.locator("svg.opens");
    check((await charts.count()) >= 4, "charts of recordings open them: " + await charts.count());
    for (let i = 0; i < 4; i++) {
      const chart = charts.nth(i);
      await scrollTo(chart);
      await chart.focus();
      await page.keyboard.press("ArrowRight");
      const id = /^(r\d\d): /.exec(await page.locator(".tip").textContent());
      check(id, `chart ${i}: an arrow key names a recording: ` + await page.locator(".tip").textContent());
      const ring = await chart.locator(".ring").boundingBox();
      await page.keyboard.press("ArrowRight");
      await page.mouse.move(ring.x + ring.width / 2, ring.y + ring.height / 2);
      check(/^r\d\d: /.test(await page.locator(".tip").textContent()), `chart ${i}: pointing names it too`);
      await page.mouse.click(ring.x + ring.width / 2, ring.y + ring.height / 2);
      check(await leads(page, "^#night=r\\d\\d$"), `chart ${i}: a click opens the recording: ` + await hash(page));
      await chart.focus();
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowLeft");
      const last = /^(r\d\d): /.exec(await page.locator(".tip").textContent())[1];
      await page.keyboard.press("Enter");
      check(await leads(page, `^#night=${last}$`), `chart ${i}: Enter opens ${last}: ` + (await hash(page)));
    }
    await page.context().close();
    const many = await open(browser, "thousand", {});
    const chart = many.locator("svg.opens").first();
    await chart.focus();
    await many.keyboard.press("ArrowRight");
    check(/^night_\d+: /.test(await many.locator(".tip").textContent()), "beyond sixty recordings dots have names too");
    await many.context().close();
  }

  async function finding(browser) {
    const page = await open(browser, "demo", {});
    const section = page.locator("section[aria-labelledby=recordings]"), rows = section.locator("tbody tr:visible");
    await section.getByLabel("Search").fill("r1");
    check((await rows.count()) === 10, "search narrows the table: " + await rows.count());
    check((await section.locator("[role=status]").textContent()) === "10 of 20", "and says so");
    await section.getByLabel("Search").fill("");
    await section.getByLabel("Show").selectOption({ label: "viterbi less accurate than argmax" });
    const worse = await page.evaluate(() => window.statepath.data.recordings.filter((one) => {
      const { right } = window.statepath.steps(one);
      return right[2].toFixed(3) < right[0].toFixed(3);
    }).length);
    check(worse > 2 && (await rows.count()) === worse, `a filter narrows it: ${await rows.count()} of ${worse}`);
    await rows.first().locator("a").click();
    check(/^#night=r\d\d$/.test(await hash(page)), "a row leads to its recording: " + await hash(page));
    await page.locator("#any select").selectOption("r13");
    check((await page.locator("#any .stepplot").getAttribute("aria-label")).startsWith("Epoch plot of r13."), "any recording can be chosen");
    check((await page.locator("#any .track").count()) === 6, "with reference, strategies, scores and axis");
    const all = await page.locator("#any option").allTextContents();
    const undrawn = await page.evaluate((ids) => {
      const select = document.querySelector("#any select");
      return ids.filter((id) => {
        select.value = id;
        select.dispatchEvent(new Event("change"));
        return !(document.querySelectorAll("#any .track .run").length === 4 && document.querySelector("#any .stepplot").getAttribute("aria-label").startsWith(`Epoch plot of ${id}.`));
      });
    }, all.slice(1));
    check(undrawn.length === 0, undrawn + " are not drawn");
    check(all.length === 21, "all recordings can be chosen: " + all.length);
    const list = page.locator("section[aria-labelledby=places]");
    check((await list.locator("tbody tr").count()) === 100, "a hundred illegal steps are listed at first");
    await list.getByText("Show more").click();
    check((await list.locator("tbody tr").count()) === 200, "and a hundred more");
    await list.getByLabel("Broken by").selectOption({ label: "reference" });
    check((await list.locator("tbody tr").count()) === 51, "those of the reference: " + await list.locator("tbody tr").count());
    const [address, number] = await list.locator("tbody tr").nth(3).evaluate((row) => [row.querySelector("a").hash, row.cells[1].textContent.replace(",", "")]);
    check(Number(/t=(\d+)/.exec(address)[1]) + 1 === Number(number), `the list counts epochs from 1: ${number}, ${address}`);
    await list.locator("tbody a").nth(3).click();
    check(/&t=\d+/.test(await hash(page)), "each leads to its step");
    await page.context().close();
    const gone = await open(browser, "demo", {}, "#night=nowhere");
    check(/epochs of nowhere are not in this page/.test(await gone.locator("#any [role=status]").textContent()), "what is not there is said");
    await gone.context().close();
    check(!/id="any"/.test(texts.training), "pages of training have none of this");
  }

  // Figures to take away hold their styles and nothing else that a program would have to know.
  async function pictures(browser) {
    const page = await open(browser, "demo", { acceptDownloads: true });
    await page.waitForSelector("#what-if-tool[data-state]");
    const bare = await page.evaluate(() => [...document.querySelectorAll("main figure")].filter((f) => f.querySelector("svg[viewBox]") &&
      ["SVG", "PNG"].some((kind) => ![...f.querySelectorAll("button.csv")].some((b) => b.textContent === kind))).length);
    check(bare === 0, `${bare} figures cannot be taken away`);
    for (const [place, file] of [["#what-if-tool figure", "sleep-demo-h5_what-if-r03"], ["section[aria-labelledby=steps] figure", "sleep-demo-h5_step-plot-of-r04"],
                                 ["figure.plot", "sleep-demo-h5_accuracy-and-legality"]]) {
      const figure = page.locator(place).first();
      const [name, bytes] = await save(page, figure.getByLabel(/^Download as SVG/));
      check(name === file + ".svg", "the file is named after page and figure: " + name);
      const text = bytes.toString("utf8");
      check(!/var\(|color-mix|rem[;}]/.test(text) && /<style>/.test(text), `${name}: styles without variables`);
      const drawn = await page.evaluate((svg) => {
        const made = new DOMParser().parseFromString(svg.replace(/<style>[^]*?<\/style>/, ""), "image/svg+xml");
        const ids = [...made.querySelectorAll("[id]")].map((e) => e.id);
        const asked = [...svg.matchAll(/(?:href="#|url\(#)([\w-]+)/g)].map((m) => m[1]);
        return [made.querySelector("parsererror") === null, asked.filter((id) => !ids.includes(id))];
      }, text);
      check(drawn[0] && drawn[1].length === 0, `${name}: it is XML and holds what it names: ${drawn[1]}`);
      const [image, png] = await save(page, figure.getByLabel(/^Download as PNG/));
      check(image === file + ".png" && png.subarray(1, 4).toString() === "PNG" && png.length > 5000, `${image}: ${png.length} bytes`);
    }
    await page.context().close();
  }

  // What a screen reader says of each thing that can be used: a role and a name.
  async function named(browser) {
    const page = await open(browser, "demo", {});
    await page.waitForSelector("#what-if-tool[data-state=ready]");
    for (const [role, name, n] of [
      ["application", /^Epoch plot of r04\. Arrow keys read it epoch by epoch, plus and minus enlarge, n and p go to illegal epochs\.$/, 1], ["application", /^Epoch plot of /, 3],
      ["button", "Show fewer epochs", 3], ["button", "Show the whole night", 3], ["button", "Next illegal epoch", 3], ["button", "Previous illegal epoch", 3],
      ["searchbox", "Search", 1], ["combobox", "Show", 1], ["combobox", "Broken by", 1], ["combobox", "Night", 1], ["button", "Show more illegal epochs", 1],
      ["button", /^Download as SVG: What if: r03/, 1], ["button", /^Download as CSV: /, 25], ["button", /List the epochs$/, 92],
      ["application", /accuracy/i, 4], ["img", /^argmax over time: [\d.]+ min Wake, [\d.]+ REM, [\d.]+ N1, [\d.]+ N2, [\d.]+ N3$/, 3], ["img", "argmax over time", 1], ["link", "Skip the contents", 1], ["navigation", "Sections", 1], ["button", /^Theme: /, 1],
    ]) {
      const found = await page.getByRole(role, { name, exact: typeof name === "string" }).count();
      check(found >= n, `${role} "${name}": ${found}, at least ${n} expected`);
    }
    check((await page.locator("svg.opens").evaluateAll((all) => all.filter((svg) => !/arrow keys choose one, Enter opens it/.test(svg.getAttribute("aria-roledescription"))).length)) === 0, "charts say how they are used");
    // Names of all, as the browser computes them, once all is laid out by the script.
    await page.waitForFunction(() => [...document.querySelectorAll("main > section")].every((s) => getComputedStyle(s).contentVisibility === "visible"));
    const client = await page.context().newCDPSession(page), { nodes } = await client.send("Accessibility.getFullAXTree");
    const used = nodes.filter((node) => !node.ignored && ["button", "link", "combobox", "searchbox", "slider", "spinbutton", "application", "img", "image", "table"].includes(node.role.value));
    const bare = used.filter((node) => !node.name || !node.name.value.trim());
    check(used.length > 400 && bare.length === 0, `${bare.length} of ${used.length} have no name: ${bare.slice(0, 3).map((node) => node.role.value)}`);
    await page.context().close();
    // Where the contents are a line above the page, they stay in sight.
    const narrow = await open(browser, "demo", { viewport: { width: 800, height: 900 } });
    await narrow.evaluate(() => document.getElementById("runs").scrollIntoView({ behavior: "instant" }));
    const line = await narrow.locator(".contents").boundingBox();
    check(Math.abs(line.y) < 1 && line.height < 80, `the contents stay in sight below 1,024 pixels: ${line.y}`);
    await narrow.context().close();
  }

  return [firstScreen, named, reading, byKeyboard, byMouse, byTouch, cells, dots, finding, pictures];
};
