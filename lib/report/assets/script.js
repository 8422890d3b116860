
(function () {
  "use strict";

  /* A text of the script with the page's words for {recording}, {steps}, {a step}, {Recordings} ..., as C puts them in (write/words.c);
     {step(s)} is one for n = 1. Names from data stay out of it. */
  var ownWords = (document.querySelector("main").getAttribute("data-words") || "recording|recordings|step|steps").split("|");
  window.statepathSay = function (text, n) {
    return text.replace(/\{(a )?(recording|step)(s|\(s\))?\}/gi, function (all, article, name, ending) {
      var word = ownWords[(/^r/i.test(name) ? 0 : 2) + (ending === "s" || (ending && n !== 1) ? 1 : 0)];
      if (article) return article.charAt(0) + (/^[aeiou]/i.test(word) ? "n " : " ") + word;
      return /^[RS]/.test(name) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    });
  };

  /* The number by which a reader knows a step, as sp_step_number() of C. Data and addresses count from 0. */
  var firstStep = Number(document.querySelector("main").getAttribute("data-first"));
  window.statepathStep = function (t) { return t + firstStep; };

  /* Pixels that a class's name needs on its run, with what of the run is seen beside it; html/track.c has the same. */
  window.statepathRoom = function (name) { return 7 * name.replace(/[\u1100-\uffff]/g, "00").length + 8; };

  /* What can wait until the page stands: each part in a task of its own, in order, so that the page answers between them. */
  var parts = [], turn = new MessageChannel();
  turn.port1.onmessage = function () {
    var part = parts.shift();
    if (parts.length) turn.port2.postMessage(null);
    part();
  };
  window.statepathLater = function (part) {
    if (parts.push(part) === 1) turn.port2.postMessage(null);
  };
  window.statepathLater.waiting = function () { return parts.length; };

  /* Light, dark, or as the system says. */
  var root = document.documentElement;
  var toggle = document.getElementById("theme");
  var names = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  var order = ["auto", "light", "dark"];
  function remembered() {
    try { return localStorage.getItem("statepath-theme") || "auto"; } catch (e) { return "auto"; }
  }
  function use(theme) {
    if (!names[theme]) theme = "auto";
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    toggle.textContent = names[theme];
    toggle.value = theme;
  }
  toggle.hidden = false;
  use(remembered());
  toggle.addEventListener("click", function () {
    var next = order[(order.indexOf(toggle.value) + 1) % order.length];
    try { localStorage.setItem("statepath-theme", next); } catch (e) { /* a page opened from a disk may not remember */ }
    use(next);
  });

  /* Tables of class "sortable": a button in every header. Numbers by value, the rest by name; what has no value goes last. */
  function key(row, column) {
    var text = row.cells[column].textContent.replace(/[\u2605,]/g, "").trim();
    var number = parseFloat(text.replace("\u2212", "-").replace("< ", ""));
    return text === "\u2013" ? null : isNaN(number) || !/^[-+<\d]/.test(text) ? text : number;
  }
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, "en", { numeric: true });
  }
  function sort(table, column, sign) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row, i) { return { row: row, i: i, key: key(row, column) }; });
    rows.sort(function (a, b) {
      var order = compare(a.key, b.key);
      return (a.key === null || b.key === null ? order : sign * order) || a.i - b.i;
    });
    rows.forEach(function (item) { body.appendChild(item.row); });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      if (!head.textContent.trim() || head.classList.contains("strip")) return;
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        sort(table, column, sign);
      });
    });
  });

  /* The numbers of a table as a file, made from what stands in it, a number a cell: "695 (3.93 %)" takes two columns, so do
     "0.81 ± 0.02" and "-0.1 to +0.3"; "3, 17, 0" takes three. A pair "5 40.0 %" of a matrix gives its count, a picture nothing. */
  var NUMBER = "[-+\u2212]?\\d[\\d,]*(?:\\.\\d+)?(?:e[-+]?\\d+)?";
  var SHAPES = [
    { names: [""], is: new RegExp("^(" + NUMBER + ")$") },
    { names: [", %"], is: new RegExp("^(?:< )?(" + NUMBER + ")\u00a0? ?%$") },
    { names: ["", ", %"], is: new RegExp("^(" + NUMBER + ") \\((?:< )?(" + NUMBER + ") ?%\\)$") },
    { names: ["", ", SD"], is: new RegExp("^(" + NUMBER + ") \u00b1 (" + NUMBER + ")$") },
    { names: [", low", ", high"], is: new RegExp("^(" + NUMBER + ") to (" + NUMBER + ")$") },
    { names: [" 1", " 2", " 3"], is: /^(\d+), (\d+), (\d+)$/ }
  ];
  function words(cell) {
    var copy = cell.cloneNode(true);
    copy.querySelectorAll(cell.tagName === "TD" ? "span, svg" : ".csv, .star, svg").forEach(function (part) { part.remove(); });
    return copy.textContent.replace(/\s+/g, " ").trim();
  }
  function quoted(text) {
    if (/^'*[=+@-]/.test(text) && isNaN(Number(text.replace(/[,%\s]/g, "")))) text = "'" + text; /* no formula */
    return /[",\r\n]/.test(text) ? "\"" + text.replace(/"/g, "\"\"") + "\"" : text;
  }
  function bare(number) { return number.replace(/,/g, "").replace("\u2212", "-").replace(/^\+/, ""); }
  /* The first shape that all cells of a column with text have, with one that takes more columns before one that takes fewer. */
  function shapeOf(texts) {
    var fits = SHAPES.filter(function (shape) { return texts.some(function (text) { return shape.is.test(text); }); });
    var widest = fits[fits.length - 1];
    var all = texts.every(function (text) {
      return text === "" || text === "\u2013" || fits.some(function (shape) { return shape.is.test(text); });
    });
    return all && widest ? widest : null;
  }
  function csv(table) {
    var rows = Array.prototype.filter.call(table.rows, function (row) { return !row.hidden; }).map(function (row) {
      return Array.prototype.filter.call(row.cells, function (cell) { return !cell.classList.contains("strip"); }).map(words);
    });
    var shapes = rows[0].map(function (name, i) { return i ? shapeOf(rows.slice(1).map(function (row) { return row[i] || ""; })) : null; });
    return rows.map(function (row, r) {
      return row.map(function (text, i) {
        var shape = shapes[i], own = null;
        if (!shape) return quoted(text === "\u2013" ? "" : text);
        if (!r) {
          var names = text.split(", ");
          return shape.names.map(function (ending, k) {
            return quoted(names.length === shape.names.length && names.length > 2 ? names[k] : text.replace(/ \u00b1 SD$/, "") + ending);
          }).join(",");
        }
        SHAPES.forEach(function (each) { if (each.names.length <= shape.names.length) own = each.is.exec(text) || own; });
        return shape.names.map(function (ending, k) { return own && own[k + 1] ? bare(own[k + 1]) : ""; }).join(",");
      }).join(",");
    }).join("\r\n") + "\r\n";
  }
  function slug(text) {
    return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  }
  document.querySelectorAll(".scroll > table").forEach(function (table) {
    var caption = table.caption;
    var name = caption ? caption.textContent : table.parentNode.getAttribute("aria-label") || "table";
    var heading = table.parentNode.parentNode.querySelector("h3");
    if (!caption && heading) name += ", " + heading.textContent;
    if (!caption) {
      caption = table.createCaption();
      caption.className = "bare";
    }
    var button = document.createElement("button");
    button.type = "button";
    button.className = "csv";
    button.textContent = "CSV";
    button.setAttribute("aria-label", "Download as CSV: " + name);
    button.addEventListener("click", function () {
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
      link.download = slug(document.title.replace(/ \u2013 (decoding report \u2013 )?statepath.*/, "")) + "_" + slug(name) + ".csv";
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
    });
    caption.appendChild(button);
  });

  /* Sections out of sight are not laid out while the page opens (style.css). They are afterwards, one at a time when there is nothing else to
     do: what asks for the whole page, such as a screen reader that is started later, finds it. */
  var waiting = Array.prototype.slice.call(document.querySelectorAll("main > section"));
  var whenIdle = window.requestIdleCallback || function (call) { setTimeout(call, 50); };
  function layOutNext() {
    var next = waiting.shift();
    if (!next) return;
    next.style.contentVisibility = "visible";
    whenIdle(layOutNext);
  }
  window.addEventListener("load", function () { whenIdle(layOutNext); });

  /* A link or an address that leads into a folded section opens it; printing opens those that belong to a paper. */
  function openAround(id) {
    var target = id && document.getElementById(decodeURIComponent(id));
    for (var fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
  document.addEventListener("click", function (e) {
    var from = e.target.closest && e.target.closest("a[href^='#']");
    if (from && from.hash.indexOf("=") < 0) openAround(from.hash.slice(1));
  });
  function openAddress() {
    if (location.hash.indexOf("=") < 0) openAround(location.hash.slice(1));
  }
  window.addEventListener("hashchange", openAddress);
  openAddress();
  var opened = [];
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details.printed:not([open])").forEach(function (fold) {
      fold.open = true;
      opened.push(fold);
    });
  });
  window.addEventListener("afterprint", function () {
    opened.splice(0).forEach(function (fold) { fold.open = false; });
  });

  /* Where one is, for browsers that do not say it by themselves; where the contents are one line, it follows. */
  var contents = document.querySelector(".contents");
  if (contents && window.IntersectionObserver) {
    var saysItself = window.CSS && CSS.supports("scroll-target-group", "auto");
    var seen = {};
    var links = contents.querySelectorAll("a");
    var watch = new IntersectionObserver(function (changes) {
      changes.forEach(function (change) { seen[change.target.getAttribute("aria-labelledby")] = change.isIntersecting; });
      var found = false;
      links.forEach(function (link) {
        var is = !found && seen[link.hash.slice(1)];
        found = found || is;
        if (is && contents.scrollWidth > contents.clientWidth)
          contents.scrollLeft = link.offsetLeft - contents.offsetLeft - contents.clientWidth / 3;
        if (is && !saysItself) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    }, { rootMargin: "-10% 0px -60% 0px" });
    document.querySelectorAll("main > section").forEach(function (section) { watch.observe(section); });
  }
})();
