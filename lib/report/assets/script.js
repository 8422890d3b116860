
(function () {
  "use strict";

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

  /* Paper cannot be clicked: everything is open on it. */
  var opened = [];
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not([open])").forEach(function (part) { part.open = true; opened.push(part); });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (part) { part.open = false; });
    opened = [];
  });
})();
