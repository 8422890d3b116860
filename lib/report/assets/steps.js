
/* Step plots that can be used. The drawings of the page are static; here is what draws the same of any recording and any stretch of
 * it, from the steps in #data (html/steps/data.c says how they are written), and what reads them. */
(function () {
  "use strict";
  var source = document.getElementById("data");
  if (!source) return;
  var data = JSON.parse(source.textContent), say = window.statepathSay, numberOf = window.statepathStep;
  var K = data.classes.length, S = data.strategies.length, REFERENCE = S;
  var byId = {}, forbidden = {}, startForbidden = {};
  data.recordings.forEach(function (one) { byId[one.id] = one; });
  data.illegal.forEach(function (pair) { forbidden[pair[0] * K + pair[1]] = true; });
  data.starts.forEach(function (k) { startForbidden[k] = true; });

  /* ---- steps ---- */

  var DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  var SIGNS = "", LEVELS = 88;
  for (var sign = 35; SIGNS.length < LEVELS + 2; sign++)
    if (sign !== 60 && sign !== 92) SIGNS += String.fromCharCode(sign);

  /* A path as one class a step, -1 for none. */
  function unpack(text, n) {
    var path = new Int16Array(n), at = 0, i = 0;
    function number() {
      var value = 0, times = 1, digit;
      do {
        digit = DIGITS.indexOf(text[i++]);
        value += (digit & 31) * times;
        times *= 32;
      } while (digit & 32);
      return value;
    }
    while (i < text.length) {
      var k = number() - 1, length = number();
      path.fill(k, at, at + length);
      at += length;
    }
    return path;
  }
  /* paths: of the strategies, then of the reference (null without one). broken: steps at which each breaks a rule; places: all of these. */
  function steps(one) {
    if (one.paths) return one;
    one.paths = one.p.map(function (text) { return unpack(text, one.n); });
    one.paths.push(one.l ? unpack(one.l, one.n) : null);
    one.gap = {};
    (one.g || []).forEach(function (t) { one.gap[t] = true; });
    var any = {};
    one.paths.forEach(function (path, s) { // rules over more steps: of each step at which any is broken the first
      if (!path) return;
      path.rules = {};
      ((one.v && one.v[s]) || []).forEach(function (pair) { if (!(pair[0] in path.rules)) path.rules[pair[0]] = data.rules[pair[1]]; });
    });
    one.broken = one.paths.map(function (path) {
      var list = [];
      for (var t = 0; path && t < one.n; t++)
        if (breaks(one, path, t)) {
          list.push(t);
          any[t] = true;
        }
      return list;
    });
    one.places = Object.keys(any).map(Number);
    one.right = one.p.map(function (text, s) {
      var scored = 0, right = 0, labels = one.paths[REFERENCE];
      for (var t = 0; labels && t < one.n; t++)
        if (labels[t] >= 0) {
          scored++;
          right += labels[t] === one.paths[s][t];
        }
      return scored ? right / scored : null;
    });
    return one;
  }
  function breaks(one, path, t) {
    return t in path.rules || isIllegal(one, path, t);
  }
  function isIllegal(one, path, t) {
    if (t === 0) return path[0] >= 0 && !!startForbidden[path[0]];
    return path[t - 1] >= 0 && path[t] >= 0 && !one.gap[t] && !!forbidden[path[t - 1] * K + path[t]];
  }
  /* Probabilities of the classes at a step; null: not in the page, or none is possible. */
  function probabilities(one, t) {
    if (!one.d) return null;
    var list = [], rest = 1;
    for (var k = 0; k + 1 < K; k++) {
      var level = SIGNS.indexOf(one.d[t * (K - 1) + k]);
      if (level > LEVELS) return null;
      list.push(level / LEVELS);
      rest -= level / LEVELS;
    }
    list.push(Math.max(0, rest));
    return list;
  }
  function nameOf(s) { return s === REFERENCE ? "reference" : data.strategies[s]; }
  function className(k) { return k < 0 ? "none" : data.classes[k]; }

  /* "4:16:30" */
  function time(seconds) {
    var two = function (n) { return (n < 10 ? "0" : "") + n; }, whole = Math.floor(seconds);
    return Math.floor(whole / 3600) + ":" + two(Math.floor(whole / 60) % 60) + ":" + two(whole % 60);
  }
  function escape(text) {
    return String(text).replace(/[&<>"]/g, function (c) { return { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }[c]; });
  }
  function grouped(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }

  /* ---- drawing: as html/track.c, of steps from .. to-1 ---- */

  var TOP = 9, STRIP = 7, MOST_COLUMNS = 1000, MARKS = 500, DENSITY = 48, MANY_RUNS = 250, MANY_MARKS = 200, SHARES = 4, NARROW = 280, WIDE = 640;

  /* Lanes from the top, as html/lanes.c has them: of each class its lane, and a class of each. */
  var lanes = { of: data.lanes, list: [] };
  data.lanes.forEach(function (lane, k) { lanes.list[lane] = k; });
  lanes.height = lanes.list.length <= 6 ? 13 : 11;
  function lineOf(lane) { return TOP + lane * lanes.height + Math.floor(lanes.height / 2) + 3; }
  /* Calls back with the first and the next step of each column. */
  function columns(from, to, most, call) {
    var n = to - from, count = Math.min(n, most);
    for (var c = 0; c < count; c++) call(c, from + Math.floor(c * n / count), from + Math.floor((c + 1) * n / count));
    return count;
  }
  /* The class that most steps of each column have, the lowest of equals. */
  function columnClasses(path, from, to) {
    var list = [];
    columns(from, to, MOST_COLUMNS, function (c, a, b) {
      var counts = {}, best = -1;
      for (var t = a; t < b; t++) {
        var k = path[t];
        if (k < 0) continue;
        counts[k] = (counts[k] || 0) + 1;
        if (best < 0 || counts[k] > counts[best] || (counts[k] === counts[best] && k < best)) best = k;
      }
      list.push(best);
    });
    return list;
  }
  function runs(list, call) {
    for (var a = 0, b; a < list.length; a = b) {
      for (b = a + 1; b < list.length && list[b] === list[a]; b++);
      call(list[a], a, b);
    }
  }
  function percent(x, n) { return (100 * x / n).toFixed(2) + "%"; }

  var nPaths = 0;
  function drawPath(list, unit) {
    var d = "", at = -1, rem = "", n = 0, id = "q" + nPaths++;
    runs(list, function (k, a, b) {
      var y = k < 0 ? -1 : 2 * lanes.of[k] + 1;
      if (y >= 0) d += (at < 0 ? "M" + a * unit + " " + y : "v" + (y - at)) + "h" + (b - a) * unit;
      if (k >= 0 && data.styles[k] === "-rem") rem += "M" + a * unit + " " + y + "h" + (b - a) * unit;
      at = y;
      n++;
    });
    return "<g class=\"thin" + (n > MANY_RUNS ? " faint" : "") + "\"><path id=\"" + id + "\" class=\"run\" d=\"" + d + "\"/></g><use class=\"broad\" href=\"#" + id + "\"/>" +
      (rem ? "<path class=\"rem\" d=\"" + rem + "\"/>" : "");
  }
  /* Not in a hypnogram: its lanes are known, and lie in an order. */
  function drawRunNames(list) {
    var text = "";
    if (data.sleep) return text;
    runs(list, function (k, a, b) {
      var width = k < 0 ? WIDE + 1 : window.statepathRoom(data.classes[k]) * list.length / (b - a);
      if (width <= WIDE)
        text += "<text class=\"on-run" + (width > NARROW ? " wide-only" : "") + "\" y=\"" + lineOf(lanes.of[k]) + "\" x=\"" +
          percent((a + b) / 2, list.length) + "\">" + escape(className(k)) + "</text>";
    });
    return text;
  }
  function drawGaps(one, from, to, unit, height) {
    var d = "";
    columns(from, to, MOST_COLUMNS, function (c, a, b) {
      for (var t = a; t < b; t++)
        if (one.gap[t]) {
          d += "M" + c * unit + " 0V" + height;
          break;
        }
    });
    return d && "<path class=\"gap\" d=\"" + d + "\"/>";
  }
  /* How much of each column is wrong, in quarters. */
  function drawErrors(one, path, from, to, unit, y, width) {
    var labels = one.paths[REFERENCE], d = [];
    columns(from, to, MOST_COLUMNS, function (c, a, b) {
      var wrong = 0;
      for (var t = a; t < b; t++) wrong += labels[t] >= 0 && labels[t] !== path[t];
      var share = Math.ceil(SHARES * wrong / (b - a));
      if (wrong) d[share] = (d[share] || "") + "M" + c * unit + " " + y.toFixed(1) + "h" + unit;
    });
    return d.map(function (text, share) {
      return "<path class=\"error share" + share + "\" stroke-width=\"" + width.toFixed(2) + "\" d=\"" + text + "\"/>";
    }).join("");
  }
  /* A triangle for each place where rules are broken; where there are many, bars that grow with their number. */
  function drawMarks(one, path, from, to) {
    var marks = [], most = 0, text = "";
    columns(from, to, MARKS, function (c, a, b) {
      var first = -1, last = -1, n = 0;
      for (var t = a; t < b; t++)
        if (breaks(one, path, t)) {
          if (!n++) first = t;
          last = t;
        }
      if (n) marks.push({ column: c, first: first, last: last, n: n });
      most = Math.max(most, n);
    });
    marks.forEach(function (m) {
      var title = "<title>" + (m.n > 1 ? numberOf(m.first) + " to " + numberOf(m.last) + ": " + m.n + (Object.keys(path.rules).length ? " breaks of rules" : " illegal transitions")
        : !isIllegal(one, path, m.first) ? numberOf(m.first) + ": breaks rule " + escape(path.rules[m.first])
        : m.first === 0 ? numberOf(0) + ": starts in " + escape(className(path[0]))
        : numberOf(m.first) + ": " + escape(className(path[m.first - 1])) + " → " + escape(className(path[m.first]))) + "</title>";
      var height = Math.ceil((TOP - 1) * m.n / most), places = Math.min(to - from, MARKS);
      text += marks.length > MANY_MARKS ? "<rect class=\"bars\" x=\"" + percent(m.column, places) + "\" width=\"" + percent(1, places) +
        "\" y=\"" + (TOP - 1 - height) + "\" height=\"" + height + "\">" + title + "</rect>"
        : "<use href=\"#ill\" x=\"" + percent((m.first + m.last) / 2 - from, to - from) + "\">" + title + "</use>";
    });
    return text;
  }
  function drawTrack(one, s, from, to) {
    var path = one.paths[s], list = columnClasses(path, from, to), n = list.length, unit = Math.ceil(500 / n);
    var plot = lanes.list.length * lanes.height, strip = s !== REFERENCE && one.paths[REFERENCE] ? STRIP + 3 : 0, missing = "";
    runs(list, function (k, a, b) {
      if (k < 0) missing += "<rect class=\"hatched\" x=\"" + percent(a, n) + "\" width=\"" + percent(b - a, n) + "\" y=\"" + TOP +
        "\" height=\"" + plot + "\"/>";
    });
    return "<svg height=\"" + (TOP + plot + strip) + "\" role=\"img\"><title>" + escape(nameOf(s)) + " over time" + minutesOf(one, s).map(function (n, lane) {
      return (lane ? ", " : ": ") + n + (lane ? " " : " min ") + escape(className(lanes.list[lane]));
    }).join("") + "</title><rect class=\"lanes\" " +
      "y=\"" + TOP + "\" width=\"100%\" height=\"" + plot + "\"/>" +
      (strip ? "<rect class=\"errors\" y=\"" + (TOP + plot + 3) + "\" width=\"100%\" height=\"" + STRIP + "\"/>" : "") +
      "<svg y=\"" + TOP + "\" width=\"100%\" height=\"" + plot + "\" viewBox=\"0 0 " + n * unit + " " + 2 * lanes.list.length +
      "\" preserveAspectRatio=\"none\">" + drawPath(list, unit) +
      (strip ? drawErrors(one, path, from, to, unit, 2 * (plot + 3 + STRIP / 2) / lanes.height, 2 * STRIP / lanes.height) : "") +
      drawGaps(one, from, to, unit, 2 * lanes.list.length) + "</svg>" + missing + drawRunNames(list) + drawMarks(one, path, from, to) + "</svg>";
  }
  function drawDensity(one, from, to) {
    var rows = [];
    columns(from, to, 240, function (c, a, b) {
      var row = new Array(K).fill(0), n = 0;
      for (var t = a; t < b; t++) {
        var p = probabilities(one, t);
        if (p && ++n) for (var k = 0; k < K; k++) row[k] += p[k];
      }
      rows.push(n ? row.map(function (x) { return x / n; }) : null);
    });
    var text = "<rect class=\"area s" + data.styles[lanes.list[0]] + "\" width=\"" + rows.length + "\" height=\"" + DENSITY + "\"/>";
    for (var lane = 1; lane < lanes.list.length; lane++) {
      var d = "M0 " + DENSITY;
      rows.forEach(function (row, c) {
        var above = 0;
        for (var i = 0; row && i < lane; i++) above += row[lanes.list[i]];
        d += "V" + (row ? Math.round(DENSITY * Math.min(1, above)) : DENSITY) + "H" + (c + 1);
      });
      text += "<path class=\"area s" + data.styles[lanes.list[lane]] + "\" d=\"" + d + "V" + DENSITY + "z\"/>";
    }
    runs(rows.map(function (row) { return row ? 1 : 0; }), function (has, a, b) {
      if (!has) text += "<rect class=\"errors\" height=\"" + DENSITY + "\" x=\"" + a + "\" width=\"" + (b - a) + "\"/>";
    });
    return "<svg height=\"" + DENSITY + "\" role=\"img\"><title>probabilities of the classes over time, stacked</title>" +
      "<svg width=\"100%\" height=\"" + DENSITY + "\" viewBox=\"0 0 " + rows.length + " " + DENSITY + "\" preserveAspectRatio=\"none\">" +
      text + "</svg></svg>";
  }
  var SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  function tickStep(n, of) {
    for (var i = 0; of && i < of.length; i++) if (n / of[i] <= 9) return of[i];
    var power = Math.pow(10, Math.floor(Math.log10(Math.max(1, n / 7)))), times = n / 7 / power;
    return Math.max(1, power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10));
  }
  function drawAxis(from, to) {
    var scale = data.seconds > 0 && (to - from) * data.seconds >= 5 ? data.seconds : 0, a = scale ? from * scale : numberOf(from), b = scale ? to * scale : numberOf(to);
    var step = tickStep(b - a, scale ? SECONDS : null), text = "";
    for (var t = from ? Math.ceil(a / step) * step : a; t <= b; t += step - t % step)
      text += "<text y=\"11\" x=\"" + percent(t - a, b - a) + "\"" + (t === a ? " text-anchor=\"start\"" : "") + ">" +
        (!scale ? grouped(t) : step < 60 ? time(t) : time(t).slice(0, -3)) + "</text>";
    return "<div class=\"track\"><div class=\"name unit\">" + (scale ? "hours" : say("{steps}")) + "</div><div class=\"rows\"><svg class=\"ticks\" " +
      "text-anchor=\"middle\" height=\"16\" aria-hidden=\"true\">" + text + "</svg><svg class=\"lane-names\" height=\"16\" aria-hidden=\"true\">" +
      "</svg></div></div>";
  }
  /* Of a path the minutes in each lane, from the evaluation; none where the lanes are no stages of sleep. */
  function minutesOf(one, s) { return one.m ? one.m[s].split(" ") : []; }
  function drawNames(minutes) {
    var text = minutes.map(function (n, lane) {
      return "<text x=\"100%\" y=\"" + lineOf(lane) + "\">" + n + "</text>";
    }).join("");
    return "<svg class=\"lane-names\" aria-hidden=\"true\" height=\"" + (TOP + lanes.list.length * lanes.height) + "\"><use href=\"#names\"/>" +
      (text && "<g text-anchor=\"end\"><text x=\"100%\" y=\"" + (TOP - 2) + "\">min</text>" + text + "</g>") + "</svg>";
  }
  function trackOf(name, small, drawing, names) {
    return "<div class=\"track\"><div class=\"name\">" + name + "<small>" + small + "</small></div><div class=\"rows\">" + drawing + names +
      "</div></div>";
  }
  function summary(one, s) {
    var changes = 0, path = one.paths[s], right = one.right[s];
    var illegal = one.broken[s].filter(function (t) { return isIllegal(one, path, t); }).length;
    for (var t = 1; t < one.n; t++) changes += path[t] >= 0 && path[t - 1] >= 0 && path[t] !== path[t - 1] && !one.gap[t];
    return (right === null || right === undefined ? "" : right.toFixed(3) + ", ") +
      (illegal ? grouped(illegal) + " illegal, " : "") + grouped(changes) + (changes === 1 ? " change" : " changes");
  }
  function drawAll(one, from, to) {
    var text = "";
    var order = (one.paths[REFERENCE] ? [REFERENCE] : []).concat(data.strategies.map(function (name, s) { return s; }));
    order.forEach(function (s) {
      text += trackOf(escape(nameOf(s)), summary(one, s), drawTrack(one, s, from, to), drawNames(minutesOf(one, s)));
    });
    if (one.d)
      text += trackOf("scores", "probabilities", drawDensity(one, from, to), "<svg class=\"lane-names\" aria-hidden=\"true\" height=\"" +
        DENSITY + "\"><text x=\"0\" y=\"9\">100 %</text><text x=\"0\" y=\"" + (DENSITY - 1) + "\">0 %</text></svg>");
    return text + drawAxis(from, to);
  }

  /* ---- a plot that is looked at ---- */

  var LEAST = 10; /* steps in sight */
  var views = [];
  function element(name, className, text) {
    var made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }
  function button(text, label, call) {
    var made = element("button", "", text);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.addEventListener("click", call);
    return made;
  }
  /* The address of what is in sight, when the reader stops. */
  var later;
  function remember(view) {
    clearTimeout(later);
    later = setTimeout(function () {
      var hash = "#night=" + encodeURIComponent(view.one.id) + (view.at >= 0 ? "&t=" + view.at : "") +
        (view.to - view.from < view.one.n ? "&zoom=" + view.from + "-" + view.to : "");
      try { history.replaceState(null, "", hash); } catch (e) { /* a host that forbids it: the page works without */ }
    }, 250);
  }

  function viewOf(plot, one) {
    var view = { plot: plot, one: one, from: 0, to: one.n, at: -1 };
    var tracks = element("div"), cursor = element("div", "cursor"), brush = element("div", "brush");
    var readout = element("p", "readout"), tools = element("div", "tools no-print");
    var isDrawn = false;
    while (plot.firstChild) tracks.appendChild(plot.firstChild);
    [tracks, cursor, brush].forEach(function (part) { plot.appendChild(part); });
    cursor.hidden = brush.hidden = true;
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    plot.parentNode.insertBefore(tools, plot);
    plot.parentNode.insertBefore(readout, plot.nextSibling);

    function area() {
      var first = tracks.querySelector(".rows > svg");
      return first ? first.getBoundingClientRect() : plot.getBoundingClientRect();
    }
    function draw() {
      tracks.innerHTML = drawAll(steps(view.one), view.from, view.to);
      isDrawn = true;
    }
    function stepAt(x) {
      var box = area();
      return Math.max(view.from, Math.min(view.to - 1, view.from + Math.floor((x - box.left) / box.width * (view.to - view.from))));
    }
    function place(t) {
      var box = area(), left = box.left - plot.getBoundingClientRect().left;
      cursor.hidden = t < view.from || t >= view.to;
      cursor.style.left = left + (t - view.from + 0.5) / (view.to - view.from) * box.width + "px";
    }
    function word(parent, k) {
      if (k >= 0)
        parent.insertAdjacentHTML("beforeend", "<svg class=\"chip\" aria-hidden=\"true\"><rect class=\"s" + data.styles[k] +
          "\" width=\"10\" height=\"10\" rx=\"2\"/></svg>");
      parent.appendChild(document.createTextNode(className(k)));
    }
    /* What everybody says at a step. */
    function read(t, isSpoken) {
      var one = steps(view.one), p = probabilities(one, t);
      readout.setAttribute("aria-live", isSpoken ? "polite" : "off");
      readout.textContent = "";
      readout.appendChild(element("strong", "", say("{Step} ") + grouped(numberOf(t)) + (data.seconds ? ", " + time(t * data.seconds) : "")));
      (one.paths[REFERENCE] ? [REFERENCE] : []).concat(data.strategies.map(function (name, s) { return s; })).forEach(function (s) {
        var path = one.paths[s], item = element("span", "said", nameOf(s) + " ");
        word(item, path[t]);
        if (t in path.rules) item.appendChild(element("b", "bad", " breaks rule " + path.rules[t]));
        if (isIllegal(one, path, t)) item.appendChild(element("b", "bad", t ? " illegal after " + className(path[t - 1]) : " illegal start"));
        readout.appendChild(document.createTextNode("; "));
        readout.appendChild(item);
      });
      if (p) {
        var order = p.map(function (x, k) { return k; }).sort(function (a, b) { return p[b] - p[a]; });
        readout.appendChild(document.createTextNode("; "));
        readout.appendChild(element("span", "said", "scores " + order.filter(function (k, i) { return i < 5 && (i === 0 || p[k] >= 0.005); })
          .map(function (k) { return className(k) + " " + p[k].toFixed(2); }).join(", ")));
      }
      place(t);
    }
    function hint() {
      readout.setAttribute("aria-live", "off");
      readout.textContent = say("Point at {a step} to read it. Drag, or Ctrl and the wheel, to enlarge; double click for the whole. Keys: " +
        "arrows, +, −, 0, n and p for the next and previous illegal {step}.");
    }
    view.zoom = function (from, to, isQuiet) {
      var n = view.one.n, width = Math.min(n, Math.max(LEAST, Math.round(to - from)));
      from = Math.max(0, Math.min(n - width, Math.round(from)));
      if (isDrawn && from === view.from && from + width === view.to) return;
      view.from = from;
      view.to = from + width;
      draw();
      if (view.at >= 0) place(view.at);
      if (!isQuiet) remember(view);
    };
    view.whole = function () { view.zoom(0, view.one.n); };
    view.go = function (t, isSpoken) {
      var width = view.to - view.from;
      view.at = Math.max(0, Math.min(view.one.n - 1, t));
      if (view.at < view.from || view.at >= view.to) view.zoom(view.at - width / 2, view.at + width / 2, true);
      read(view.at, isSpoken);
      remember(view);
    };
    /* Around a step (the one that is read, else the middle) by a factor. */
    function scale(factor, t) {
      var width = view.to - view.from, about = t === undefined ? (view.at >= view.from && view.at < view.to ? view.at + 0.5 : view.from + width / 2) : t;
      var share = (about - view.from) / width;
      view.zoom(about - share * width * factor, about + (1 - share) * width * factor);
    }
    /* The next or previous illegal step; past the last, that of the next recording that has one. */
    function jump(sign) {
      var list = steps(view.one).places, found = -1;
      for (var i = 0; i < list.length; i++) {
        var t = list[sign > 0 ? i : list.length - 1 - i];
        if (sign > 0 ? t > view.at : view.at < 0 || t < view.at) {
          found = t;
          break;
        }
      }
      if (found >= 0) {
        if (view.to - view.from === view.one.n && view.one.n > 400) view.zoom(found - 60, found + 60, true);
        view.go(found, true);
        return;
      }
      var all = data.recordings, here = all.indexOf(view.one);
      for (var k = 1; k <= all.length; k++) {
        var other = steps(all[(here + sign * k + k * all.length) % all.length]);
        if (!other.places.length) continue;
        open(other.id, other.places[sign > 0 ? 0 : other.places.length - 1]);
        return;
      }
      readout.setAttribute("aria-live", "polite");
      readout.textContent = say("No {step} is illegal in the {recordings} whose {steps} are in the page.");
    }
    view.set = function (next) {
      view.one = next;
      view.from = 0;
      view.to = next.n;
      view.at = -1;
      plot.setAttribute("data-r", next.r);
      draw();
      label();
      hint();
      cursor.hidden = true;
    };
    function label() {
      plot.setAttribute("aria-label", say("{Step} plot of ") + view.one.id + say(". Arrow keys read it {step} by {step}, plus and minus enlarge, " +
        "n and p go to illegal {steps}."));
    }
    [["−", "Show more {steps}", function () { scale(2); }], ["+", "Show fewer {steps}", function () { scale(0.5); }],
     ["Whole", "Show the whole {recording}", function () { view.whole(); }],
     ["◂ illegal", "Previous illegal {step}", function () { jump(-1); }], ["illegal ▸", "Next illegal {step}", function () { jump(1); }]]
      .forEach(function (row) { tools.appendChild(button(row[0], say(row[1]), row[2])); });

    plot.addEventListener("keydown", function (e) {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target !== plot) return;
      var width = view.to - view.from, stride = e.shiftKey ? Math.max(1, Math.round(width / 20)) : 1;
      var at = view.at >= 0 ? view.at : view.from - 1;
      var keys = {
        ArrowRight: function () { view.go(at + stride, true); }, ArrowLeft: function () { view.go(view.at >= 0 ? at - stride : view.to - 1, true); },
        Home: function () { view.go(0, true); }, End: function () { view.go(view.one.n - 1, true); },
        PageDown: function () { view.zoom(view.from + width / 2, view.to + width / 2); view.go(Math.max(at, view.from), true); },
        PageUp: function () { view.zoom(view.from - width / 2, view.to - width / 2); view.go(Math.min(Math.max(at, 0), view.to - 1), true); },
        "+": function () { scale(0.5); }, "=": function () { scale(0.5); }, "-": function () { scale(2); }, "0": function () { view.whole(); },
        Escape: function () { view.whole(); }, n: function () { jump(1); }, p: function () { jump(-1); }
      };
      if (!keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
    plot.addEventListener("wheel", function (e) {
      var sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY), width = view.to - view.from;
      if (!e.ctrlKey && !e.metaKey && !(sideways && width < view.one.n)) return;
      e.preventDefault();
      if (sideways && !e.ctrlKey) view.zoom(view.from + e.deltaX / area().width * width, view.to + e.deltaX / area().width * width);
      else scale(Math.pow(2, Math.max(-1, Math.min(1, e.deltaY / 100))), stepAt(e.clientX) + 0.5);
    }, { passive: false });
    plot.addEventListener("dblclick", function () { view.whole(); });

    /* Mouse: pointing reads, dragging enlarges, a click keeps the step. Touch: a finger reads, two enlarge and move. */
    var fingers = {}, pinch = null, begun = null;
    function middle() {
      var ids = Object.keys(fingers), x = ids.map(function (id) { return fingers[id]; });
      return { x: (x[0] + x[1]) / 2, distance: Math.max(20, Math.abs(x[0] - x[1])) };
    }
    plot.addEventListener("pointerdown", function (e) {
      if (e.pointerType !== "touch" && e.button !== 0) return;
      var box = area();
      if (e.clientX < box.left - 4 || e.clientX > box.right + 4) return;
      try { plot.setPointerCapture(e.pointerId); } catch (error) { /* it has gone already */ }
      if (e.pointerType !== "touch") {
        begun = e.clientX;
        return;
      }
      fingers[e.pointerId] = e.clientX;
      pinch = Object.keys(fingers).length === 2 ? Object.assign(middle(), { from: view.from, to: view.to }) : null;
      if (!pinch) read(stepAt(e.clientX), false);
    });
    plot.addEventListener("pointermove", function (e) {
      if (e.pointerType === "touch" && fingers[e.pointerId] !== undefined) {
        fingers[e.pointerId] = e.clientX;
        if (pinch) {
          var now = middle(), box = area(), width = (pinch.to - pinch.from) * pinch.distance / now.distance;
          var step = pinch.from + (pinch.x - box.left) / box.width * (pinch.to - pinch.from);
          var from = step - (now.x - box.left) / box.width * width;
          view.zoom(from, from + width);
        } else if (Object.keys(fingers).length === 1) {
          read(stepAt(e.clientX), false);
        }
      } else if (begun !== null) {
        var left = plot.getBoundingClientRect().left;
        brush.hidden = Math.abs(e.clientX - begun) < 6;
        brush.style.left = Math.min(begun, e.clientX) - left + "px";
        brush.style.width = Math.abs(e.clientX - begun) + "px";
        read(stepAt(e.clientX), false);
      } else if (e.pointerType !== "touch") {
        read(stepAt(e.clientX), false);
      }
    });
    function end(e) {
      if (e.pointerType === "touch") {
        var wasOne = Object.keys(fingers).length === 1 && !pinch;
        delete fingers[e.pointerId];
        if (!Object.keys(fingers).length) pinch = null;
        if (wasOne && e.type === "pointerup") view.go(stepAt(e.clientX), false);
        return;
      }
      if (begun === null) return;
      var from = begun;
      begun = null;
      brush.hidden = true;
      if (e.type !== "pointerup") return;
      if (Math.abs(e.clientX - from) < 6) view.go(stepAt(e.clientX), false);
      else view.zoom(Math.min(stepAt(from), stepAt(e.clientX)), Math.max(stepAt(from), stepAt(e.clientX)) + 1);
    }
    plot.addEventListener("pointerup", end);
    plot.addEventListener("pointercancel", end);
    plot.addEventListener("pointerleave", function () {
      if (begun !== null) return;
      if (view.at >= 0) read(view.at, false);
      else {
        cursor.hidden = true;
        hint();
      }
    });
    window.addEventListener("resize", function () { if (view.at >= 0) place(view.at); });
    label();
    hint();
    views.push(view);
    return view;
  }

  document.querySelectorAll(".stepplot").forEach(function (plot) {
    var one = data.recordings.find(function (each) { return String(each.r) === plot.getAttribute("data-r"); });
    if (one && one.n > 0) viewOf(plot, one);
  });

  /* ---- any recording ---- */

  var any = document.getElementById("any"), chosen = null, select = null, note = null;
  function openAny(one) {
    select.value = one.id;
    if (chosen) {
      chosen.set(one);
      return chosen;
    }
    var figure = element("figure"), plot = element("div", "stepplot");
    figure.appendChild(plot);
    any.appendChild(figure);
    chosen = viewOf(plot, one);
    chosen.set(one);
    if (window.statepath && window.statepath.takeAway) window.statepath.takeAway(figure);
    return chosen;
  }
  if (any && data.recordings.length) {
    any.appendChild(element("h3", "", say("Any {recording}")));
    var line = element("p", "choose"), label = element("label", "", say("{Recording} "));
    select = element("select");
    select.appendChild(element("option", "", "choose"));
    data.recordings.forEach(function (one) {
      if (!one.n) return;
      var option = element("option", "", one.id);
      option.value = one.id;
      select.appendChild(option);
    });
    select.addEventListener("change", function () { if (byId[select.value]) remember(openAny(byId[select.value])); });
    label.appendChild(select);
    line.appendChild(label);
    any.appendChild(line);
    note = element("p", "small");
    note.setAttribute("role", "status");
    any.appendChild(note);
  }

  /* Shows a recording, where it is drawn already or among "any"; at a step, enlarged to a stretch. */
  function open(id, t, zoom) {
    var one = byId[id];
    if (!one || !one.n) {
      if (note) {
        note.textContent = say("The {steps} of ") + id + " are not in this page; the option `draw` with its name puts them there.";
        any.scrollIntoView({ block: "start", behavior: "instant" });
      }
      return;
    }
    if (note) note.textContent = "";
    var view = views.find(function (each) { return each.one === one && each !== chosen; }) || openAny(one);
    for (var parent = view.plot.parentNode; parent; parent = parent.parentNode) if (parent.tagName === "DETAILS") parent.open = true;
    if (zoom) view.zoom(zoom[0], zoom[1], true);
    else if (t >= 0 && one.n > 400) view.zoom(t - 60, t + 60, true);
    if (t >= 0) view.go(t, true);
    else remember(view);
    view.plot.focus({ preventScroll: true });
    (view.plot.parentNode.previousElementSibling || view.plot).scrollIntoView({ block: view === chosen ? "center" : "start", behavior: "instant" });
    if (view.plot.getBoundingClientRect().top < 0 || view.plot.getBoundingClientRect().bottom > window.innerHeight)
      view.plot.scrollIntoView({ block: view.plot.offsetHeight < window.innerHeight ? "center" : "start", behavior: "instant" });
  }
  function follow() {
    var asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("night") || asked.has("rules")) return; /* rules: an address of "What if" */
    var t = parseInt(asked.get("t"), 10), zoom = /^(\d+)-(\d+)$/.exec(asked.get("zoom") || "");
    open(asked.get("night"), isNaN(t) ? -1 : t, zoom && [Number(zoom[1]), Number(zoom[2])]);
  }
  window.addEventListener("hashchange", follow);
  window.statepath = { data: data, byId: byId, steps: steps, breaks: breaks, nameOf: nameOf, className: className, time: time,
    element: element, button: button, grouped: grouped, open: open, views: views };
  follow();
})();
