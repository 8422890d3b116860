
/* From every figure to the recordings and steps that it stands for: dots and lines of charts, cells of matrices, rows of tables. */
window.statepathLater(function () {
  "use strict";
  var page = window.statepath, later = window.statepathLater;
  if (!page) return;
  var data = page.data, say = window.statepathSay, numberOf = window.statepathStep, S = data.strategies.length, element = page.element;
  var byNumber = {};
  data.recordings.forEach(function (one) { byNumber[one.r] = one; });
  function address(id, t) { return "#night=" + encodeURIComponent(id) + (t >= 0 ? "&t=" + t : ""); }
  function link(id, t, text) {
    var made = element("a", "", text);
    made.href = address(id, t);
    return made;
  }
  /* A link to where one is leads there all the same; Back returns to where one was. */
  document.addEventListener("click", function (e) {
    var from = e.target.closest && e.target.closest("a[href^='#night=']");
    if (!from || e.ctrlKey || e.metaKey || e.shiftKey) return;
    var asked = new URLSearchParams(from.hash.slice(1)), open = document.querySelector("dialog[open]");
    e.preventDefault();
    if (open) open.close();
    try { history.pushState(null, "", from.hash); } catch (error) { /* Back leaves the page where a host forbids it */ }
    page.open(asked.get("night"), asked.has("t") ? Number(asked.get("t")) : -1);
  });

  /* ---- rows ---- */

  function linkRows(table) {
    var head = table.tHead && table.tHead.rows[0];
    if (!head || table.id === "places-table") return;
    var holds = Array.prototype.map.call(head.cells, function (cell) { return cell.getAttribute("data-holds"); });
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      Array.prototype.forEach.call(row.cells, function (cell, i) {
        var text = cell.textContent, at = -1, id = null;
        if (holds[i] === "recording") id = text;
        else if (holds[i] === "worst") id = (/^(.*): [\d,]+$/.exec(text) || [])[1];
        else if (holds[i] === "place") {
          var found = /^(.*), ([\d,]+)$/.exec(text);
          id = found && found[1];
          at = found ? Number(found[2].replace(/,/g, "")) - numberOf(0) : -1;
        }
        if (!id || !page.byId[id] || cell.firstElementChild) return;
        cell.textContent = "";
        cell.appendChild(link(id, at, text));
      });
    });
  }
  document.querySelectorAll("main table").forEach(function (table) { later(function () { linkRows(table); }); });

  /* ---- search and filter of recordings ---- */

  var section = document.querySelector("section[aria-labelledby=recordings]"), list = section && section.querySelector("table.sortable");
  if (list && list.tBodies[0].rows.length > 1) {
    var heads = Array.prototype.map.call(list.tHead.rows[0].cells, function (cell) { return cell.textContent.trim(); });
    var number = function (row, name) { return parseFloat(row.cells[heads.indexOf(name)].textContent.replace(/,/g, "")); };
    var has = function (name) { return heads.indexOf(name) >= 0; };
    var filters = [["all", function () { return true; }]];
    data.strategies.forEach(function (name) {
      if (has(name + " illegal")) filters.push(["with illegal transitions of " + name, function (row) { return number(row, name + " illegal") > 0; }]);
    });
    data.strategies.forEach(function (name, s) {
      if (s === data.argmax || data.argmax < 0 || !has(name + " accuracy") || !has("argmax accuracy")) return;
      filters.push([name + " less accurate than argmax", function (row) { return number(row, name + " accuracy") < number(row, "argmax accuracy"); }]);
      filters.push([name + " more accurate than argmax", function (row) { return number(row, name + " accuracy") > number(row, "argmax accuracy"); }]);
    });
    filters.push(["not decoded by some strategy", function (row) { return /dead end|no path|bug of/.test(row.textContent); }]);
    var line = element("p", "choose no-print"), search = element("input"), choice = element("select"), count = element("span", "small");
    search.type = "search";
    count.setAttribute("role", "status");
    filters.forEach(function (filter, i) {
      var option = element("option", "", filter[0]);
      option.value = i;
      choice.appendChild(option);
    });
    [["Search ", search], ["Show ", choice]].forEach(function (pair) {
      var label = element("label", "", pair[0]);
      label.appendChild(pair[1]);
      line.appendChild(label);
    });
    line.appendChild(count);
    var narrow = function () {
      var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), rows = list.tBodies[0].rows, shown = 0;
      Array.prototype.forEach.call(rows, function (row) {
        var name = row.cells[0].textContent.toLowerCase();
        row.hidden = !(words.every(function (word) { return name.indexOf(word) >= 0; }) && filters[choice.value][1](row));
        shown += !row.hidden;
      });
      count.textContent = page.grouped(shown) + " of " + page.grouped(rows.length);
    };
    search.addEventListener("input", narrow);
    choice.addEventListener("change", narrow);
    section.insertBefore(line, list.parentNode);
    narrow();
  }

  /* ---- places, in a dialogue ---- */

  var dialog = element("dialog", "places"), title = element("h2"), note = element("p", "small"), items = element("ul");
  var close = page.button("Close", "Close the list", function () { dialog.close(); });
  title.id = "places-title";
  dialog.setAttribute("aria-labelledby", title.id);
  [title, close, note, items].forEach(function (part) { dialog.appendChild(part); });
  document.body.appendChild(dialog);
  /* found: [recording, [[first, last], ...], steps] */
  function show(text, found, n) {
    var MOST = 200, EACH = 24, shown = 0;
    title.textContent = text;
    items.textContent = "";
    found.slice(0, MOST).forEach(function (row) {
      var item = element("li");
      item.appendChild(link(row[0].id, row[1][0][0], row[0].id));
      item.appendChild(document.createTextNode(" (" + page.grouped(row[2]) + "): "));
      row[1].slice(0, EACH).forEach(function (run, i) {
        if (i) item.appendChild(document.createTextNode(", "));
        item.appendChild(link(row[0].id, run[0], numberOf(run[0]) + (run[0] === run[1] ? "" : "–" + numberOf(run[1]))));
      });
      if (row[1].length > EACH) item.appendChild(document.createTextNode(", and " + page.grouped(row[1].length - EACH) + " more places"));
      items.appendChild(item);
      shown += row[2];
    });
    note.textContent = page.grouped(shown) + " of " + page.grouped(n) + say(" {steps}, by {recording}" +
      (shown < n ? "; the others are in {recordings} whose {steps} are not in the page." : "."));
    dialog.showModal();
  }
  /* Steps of all recordings for which `is` holds, in runs. */
  function collect(is) {
    var found = [];
    data.recordings.forEach(function (one) {
      var places = [], n = 0;
      page.steps(one);
      for (var t = 0; t < one.n; t++)
        if (is(one, t)) {
          n++;
          if (places.length && places[places.length - 1][1] === t - 1) places[places.length - 1][1] = t;
          else places.push([t, t]);
        }
      if (n) found.push([one, places, n]);
    });
    return found.sort(function (a, b) { return b[2] - a[2]; });
  }
  function listCell(kind, s, i, j, n) {
    var from = page.className(i), to = page.className(j);
    if (kind === "confusion")
      show("Reference " + from + ", decoded " + to + " by " + page.nameOf(s), collect(function (one, t) {
        return one.paths[S] && one.paths[S][t] === i && one.paths[s][t] === j;
      }), n);
    else
      show(from + " to " + to + ", " + page.nameOf(s), collect(function (one, t) {
        var path = one.paths[s];
        return t > 0 && path && !one.gap[t] && path[t - 1] === i && path[t] === j;
      }), n);
  }

  /* ---- cells of matrices: one stop for the tabulator each, arrows inside ---- */

  document.querySelectorAll("table[data-counts]").forEach(function (table) { later(function () { countsOf(table); }); });
  function countsOf(table) {
    var kind = table.getAttribute("data-counts"), s = Number(table.getAttribute("data-s")), K = data.classes.length, stops = [];
    Array.prototype.slice.call(table.tBodies[0].rows, 0, K).forEach(function (row, i) {
      Array.prototype.slice.call(row.cells, 1, K + 1).forEach(function (cell, j) {
        var holder = cell.querySelector("b") || cell, text = holder.firstChild, n = text && Number(text.textContent.replace(/,/g, ""));
        if (!n || text.nodeType !== 3) return;
        var made = page.button(text.textContent, text.textContent + (kind === "confusion"
          ? ": reference " + page.className(i) + ", decoded " + page.className(j) : ": " + page.className(i) + " to " + page.className(j)) +
          ", " + page.nameOf(s) + say(". List the {steps}"), function () { listCell(kind, s, i, j, n); });
        made.tabIndex = stops.length ? -1 : 0;
        made.column = j;
        holder.replaceChild(made, text);
        stops.push(made);
      });
    });
    /* Right and left by rows, down and up by columns. */
    table.addEventListener("keydown", function (e) {
      var sign = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[e.key], byColumn = e.key === "ArrowDown" || e.key === "ArrowUp";
      if (!sign || stops.indexOf(e.target) < 0) return;
      e.preventDefault();
      var order = byColumn ? stops.slice().sort(function (a, b) { return a.column - b.column || stops.indexOf(a) - stops.indexOf(b); }) : stops;
      var next = order[(order.indexOf(e.target) + sign + order.length) % order.length];
      e.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
  /* Rows of lists of pairs, where classes are too many for a matrix. */
  document.querySelectorAll("section[aria-labelledby=confusion] section table").forEach(function (table) {
    var names = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent.trim(); });
    var s = data.strategies.indexOf((table.closest("section").querySelector("h3") || table).textContent);
    if (names[0] !== "reference" || names[1] !== "decoded" || s < 0) return;
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      var i = data.classes.indexOf(row.cells[0].textContent), j = data.classes.indexOf(row.cells[1].textContent), text = row.cells[2].textContent;
      row.cells[2].textContent = "";
      row.cells[2].appendChild(page.button(text, text + ": reference " + page.className(i) + ", decoded " + page.className(j) + say(". List the {steps}"),
        function () { listCell("confusion", s, i, j, Number(text.replace(/,/g, ""))); }));
    });
  });

  /* ---- dots and lines: the nearest to the pointer; by keyboard from left to right ---- */

  var tip = element("div", "tip no-print");
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.appendChild(tip);
  function pointsOf(svg) {
    var points = [];
    svg.querySelectorAll("[data-r]").forEach(function (mark) {
      var numbers = mark.getAttribute("data-r").split(" "), label = mark.querySelector("title");
      if (mark.tagName === "circle") {
        points.push({ r: numbers[0], x: Number(mark.getAttribute("cx")), y: Number(mark.getAttribute("cy")), text: label && label.textContent });
        return;
      }
      var places = mark.getAttribute("d").match(/[ML][\d.]+ [\d.]+/g) || [];
      places.forEach(function (place, i) {
        var xy = place.slice(1).split(" ").map(Number);
        points.push({ r: numbers.length > 1 ? numbers[i] : numbers[0], x: xy[0], y: xy[1], text: label && label.textContent });
      });
    });
    return points.filter(function (point) { return byNumber[point.r]; }).sort(function (a, b) { return a.x - b.x || a.y - b.y; });
  }
  function wordsOf(point) {
    var one = byNumber[point.r];
    if (point.text && point.text !== one.id) return point.text;
    page.steps(one);
    return one.id + ": " + data.strategies.map(function (name, s) {
      return name + " " + (one.right[s] === null ? "" : one.right[s].toFixed(3) + ", ") + page.grouped(one.broken[s].length) + " illegal";
    }).join("; ");
  }
  document.querySelectorAll("main svg[viewBox]").forEach(function (svg) { later(function () { pointAt(svg); }); });
  function pointAt(svg) {
    if (svg.closest(".stepplot") || !svg.querySelector("[data-r]")) return;
    var points = pointsOf(svg), box = svg.viewBox.baseVal, at = -1, ring = null;
    if (!points.length) return;
    svg.classList.add("opens");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", say("chart of {recordings}: arrow keys choose one, Enter opens it"));
    function clear() {
      if (ring) ring.remove();
      ring = null;
      at = -1;
      tip.hidden = true;
    }
    function choose(i) {
      var place = svg.getBoundingClientRect(), point = points[i], scale = place.width / box.width;
      if (i === at) return;
      clear();
      at = i;
      svg.insertAdjacentHTML("beforeend", "<circle class=\"ring\" r=\"9\" cx=\"" + point.x + "\" cy=\"" + point.y + "\"/>");
      ring = svg.lastElementChild;
      tip.textContent = wordsOf(point);
      tip.hidden = false;
      var left = place.left + point.x * scale + window.scrollX;
      tip.style.top = place.top + point.y * scale + window.scrollY + 14 + "px";
      tip.style.left = Math.max(8, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 8)) + "px";
    }
    function nearest(e) {
      var place = svg.getBoundingClientRect(), scale = place.width / box.width, best = -1, least = 24 * 24;
      points.forEach(function (point, i) {
        var dx = place.left + point.x * scale - e.clientX, dy = place.top + point.y * scale - e.clientY, d = dx * dx + dy * dy;
        if (d < least) {
          least = d;
          best = i;
        }
      });
      return best;
    }
    svg.addEventListener("pointermove", function (e) {
      var i = nearest(e);
      if (i < 0) clear();
      else choose(i);
    });
    svg.addEventListener("pointerleave", clear);
    svg.addEventListener("blur", clear);
    svg.addEventListener("click", function (e) {
      var i = nearest(e);
      if (i < 0) return;
      clear();
      page.open(byNumber[points[i].r].id, -1);
    });
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (step) choose((at < 0 ? (step > 0 ? 0 : points.length - 1) : at + step + points.length) % points.length);
      else if (e.key === "Enter" && at >= 0) {
        var id = byNumber[points[at].r].id;
        clear();
        page.open(id, -1);
      } else return;
      e.preventDefault();
    });
  }

  /* ---- the list of illegal steps: all whose steps are in the page ---- */

  var table = document.getElementById("places-table"), rest = document.getElementById("places-note");
  if (table) {
    var places = [], ROWS = 100, SLICE = 10, shown = 0, order = (data.labels ? [S] : []).concat(data.strategies.map(function (name, s) { return s; }));
    var unpack = function (from) {
      data.recordings.slice(from, from + SLICE).forEach(function (one) {
        page.steps(one).places.forEach(function (t) { places.push([one, t]); });
      });
      later(from + SLICE < data.recordings.length ? function () { unpack(from + SLICE); } : offer);
    };
    var offer = function () {
      if (places.length <= table.tBodies[0].rows.length) return;
      var by = element("select"), chosen = places, status = element("span", "small"), choose = element("p", "choose no-print");
      var more = page.button("Show more", say("Show more illegal {steps}"), function () { add(ROWS); });
      status.setAttribute("role", "status");
      [["-1", "everybody"]].concat(order.map(function (s) { return [s, page.nameOf(s)]; })).forEach(function (row) {
        var option = element("option", "", row[1]);
        option.value = row[0];
        by.appendChild(option);
      });
      var label = element("label", "", "Broken by ");
      label.appendChild(by);
      choose.appendChild(label);
      choose.appendChild(status);
      table.parentNode.parentNode.insertBefore(choose, table.parentNode);
      if (rest) rest.remove();
      table.parentNode.parentNode.insertBefore(more, table.parentNode.nextSibling);
      var add = function (n) {
        chosen.slice(shown, shown + n).forEach(function (place) {
          var row = table.tBodies[0].insertRow(), one = place[0], t = place[1], head = element("th");
          head.scope = "row";
          head.appendChild(link(one.id, t, one.id));
          row.appendChild(head);
          var cell = function (text, name) { row.appendChild(element("td", name, text)); };
          cell(page.grouped(numberOf(t)), "n");
          if (data.seconds) cell(page.time(t * data.seconds), "n");
          cell(order.filter(function (s) { return one.paths[s] && page.breaks(one, one.paths[s], t); }).map(page.nameOf).join(", "));
          order.forEach(function (s) {
            var path = one.paths[s], from = t > 0 && !one.gap[t] ? path[t - 1] : -1, k = path ? path[t] : -1;
            cell(k < 0 ? "–" : (from < 0 ? "–" : page.className(from)) + " → " + page.className(k), path && page.breaks(one, path, t) ? "bad" : "");
          });
        });
        shown = Math.min(chosen.length, shown + n);
        more.hidden = shown === chosen.length;
        status.textContent = page.grouped(shown) + " of " + page.grouped(chosen.length);
      };
      var restart = function () {
        chosen = by.value === "-1" ? places : places.filter(function (place) { return page.breaks(place[0], place[0].paths[by.value] || [], place[1]); });
        shown = 0;
        table.tBodies[0].textContent = "";
        add(ROWS);
      };
      by.addEventListener("change", restart);
      restart();
    };
    unpack(0);
  }
});
