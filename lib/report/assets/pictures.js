
/* Figures to take away, as SVG with its styles and as PNG, in the light colours; as figures/figures.c makes them without a browser. */
(function () {
  "use strict";
  var WIDTH = 1000, NAMES = 180, CLASSES = 70, GAP = 8, TITLE = 30;
  var KEPT = /^(fill|stroke|opacity|font-size|font-weight|text-anchor|vector-effect|stop-color|overflow)/;
  var root = document.documentElement;

  /* The text of a declaration without variables, mixed colours and units of the page. */
  function plain(value, styles) {
    value = value.replace(/var\((--[\w-]+)(?:,\s*([^)]*))?\)/g, function (all, name, other) {
      return name === "--how" ? other : styles.getPropertyValue(name).trim() || other || "none";
    });
    value = value.replace(/color-mix\(in srgb, (#\w{6}) ([\d.]+)%, (#\w{6})\)/g, function (all, a, share, b) {
      return "#" + [1, 3, 5].map(function (i) {
        var x = parseInt(a.slice(i, i + 2), 16), y = parseInt(b.slice(i, i + 2), 16);
        return ("0" + Math.round(y + (x - y) * share / 100).toString(16)).slice(-2);
      }).join("");
    });
    return value.replace(/([\d.]+)rem/g, function (all, n) { return 16 * n + "px"; });
  }
  /* The page's rules for what is drawn. */
  function style() {
    var theme = root.getAttribute("data-theme"), text = "", isOfFigures = false, styles = getComputedStyle(root);
    root.setAttribute("data-theme", "light");
    Array.prototype.forEach.call(document.styleSheets[0].cssRules, function (rule) {
      var kept = "";
      isOfFigures = isOfFigures || rule.selectorText === "figure";
      if (!isOfFigures || !rule.selectorText || /:/.test(rule.selectorText)) return;
      for (var i = 0; i < rule.style.length; i++)
        if (KEPT.test(rule.style[i])) kept += rule.style[i] + ":" + plain(rule.style.getPropertyValue(rule.style[i]), styles) + ";";
      if (kept) text += rule.selectorText + "{" + kept + "}\n";
    });
    if (theme) root.setAttribute("data-theme", theme);
    else root.removeAttribute("data-theme");
    return text + ".broad{fill:none}\n";
  }
  function definitions() {
    return Array.prototype.map.call(document.querySelectorAll("svg.swatch > defs"), function (defs) { return defs.innerHTML; }).join("");
  }
  function placed(svg, x, y, width, height) {
    var copy = svg.cloneNode(true);
    copy.querySelectorAll("use.broad").forEach(function (use) {
      var path = copy.querySelector(use.getAttribute("href")).cloneNode();
      path.removeAttribute("id");
      path.setAttribute("class", "broad");
      use.replaceWith(path);
    });
    copy.querySelectorAll(".ring").forEach(function (ring) { ring.remove(); });
    ["tabindex", "role", "aria-roledescription"].forEach(function (name) { copy.removeAttribute(name); });
    var at = { x: x, y: y, width: width, height: height, overflow: "visible" };
    Object.keys(at).forEach(function (name) { copy.setAttribute(name, at[name]); });
    return new XMLSerializer().serializeToString(copy);
  }
  function escape(text) {
    return text.replace(/[&<>]/g, function (c) { return { "&": "&amp;", "<": "&lt;", ">": "&gt;" }[c]; });
  }
  /* [text, width, height] of a figure. */
  function compose(figure, title) {
    var tracks = Array.prototype.filter.call(figure.querySelectorAll(".track"), function (track) { return track.checkVisibility(); });
    var body = "", width, height;
    if (tracks.length) {
      width = WIDTH;
      height = TITLE;
      body = "<text x=\"0\" y=\"16\" font-size=\"14\" font-weight=\"600\">" + escape(title) + "</text>";
      tracks.forEach(function (track) {
        var name = track.querySelector(".name"), svgs = track.querySelectorAll(".rows > svg"), tall = Number(svgs[0].getAttribute("height"));
        var small = name.querySelector("small");
        body += "<text x=\"0\" y=\"" + (height + 18) + "\" font-size=\"13\" font-weight=\"600\">" + escape(name.firstChild ? name.firstChild.textContent : "") +
          "</text>" + (small ? "<text x=\"0\" y=\"" + (height + 33) + "\" font-size=\"10\">" + escape(small.textContent) + "</text>" : "") +
          placed(svgs[0], NAMES, height, WIDTH - NAMES - CLASSES, tall) + placed(svgs[1], WIDTH - CLASSES + 6, height, CLASSES - 6, tall);
        height += tall + GAP;
      });
    } else {
      var svg = figure.querySelector("svg[viewBox]"), box = svg.viewBox.baseVal;
      width = box.width;
      height = box.height;
      body = placed(svg, 0, 0, width, height);
    }
    var names = (tracks.length ? "track" : figure.className || figure.parentNode.className).replace(/\bstepplot\b/, "");
    return ["<svg xmlns=\"" + document.querySelector("svg").namespaceURI + "\" class=\"" + names + "\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " +
      width + " " + height + "\" font-family=\"system-ui, sans-serif\"><style>" + escape(style()) + "</style><defs>" +
      xml(definitions()) + "</defs><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" + body + "</svg>\n", width, height];
  }
  /* HTML as XML. */
  function xml(html) {
    var holder = document.createElement("template");
    holder.innerHTML = "<svg>" + html + "</svg>";
    return Array.prototype.map.call(holder.content.firstChild.childNodes, function (node) { return new XMLSerializer().serializeToString(node); }).join("");
  }
  function save(blob, name) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function png(made, name) {
    var image = new Image(), TIMES = 2;
    image.onload = function () {
      var canvas = document.createElement("canvas");
      canvas.width = TIMES * made[1];
      canvas.height = TIMES * made[2];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(function (blob) { save(blob, name); });
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(made[0]);
  }
  function slug(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60); }
  function titleOf(figure) {
    var plot = figure.querySelector(".stepplot"), label = plot && plot.getAttribute("aria-label"), heading = figure.querySelector("svg[viewBox] > title");
    if (label) return label.replace(/\. Arrow keys.*/, "");
    if (figure.classList.contains("flip")) return "Before and after: " + figure.querySelector("figcaption a").textContent;
    heading = heading || figure.querySelector("title, figcaption");
    return heading ? heading.textContent.slice(0, 80) : "figure";
  }
  document.querySelectorAll("main figure").forEach(function (figure) { add(figure); });
  function add(figure) {
    if (!figure.querySelector("svg[viewBox], .track")) return;
    var place = figure.querySelector(".tools") || figure.querySelector("figcaption") || figure, line = place.classList.contains("tools") ? place : document.createElement("span");
    ["SVG", "PNG"].forEach(function (kind) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "csv";
      button.textContent = kind;
      button.setAttribute("aria-label", "Download as " + kind + ": " + titleOf(figure));
      button.addEventListener("click", function () {
        var title = titleOf(figure), made = compose(figure, title);
        var name = slug(document.title.replace(/ \u2013 statepath.*/, "")) + "_" + slug(title) + "." + kind.toLowerCase();
        if (kind === "PNG") png(made, name);
        else save(new Blob([made[0]], { type: "image/svg+xml" }), name);
      });
      line.appendChild(button);
    });
    if (line !== place) {
      line.className = "take no-print";
      place.insertBefore(line, place.classList.contains("panel") ? null : place.tagName === "FIGCAPTION" && !figure.classList.contains("panel")
        ? place.querySelector("details") : null);
    }
  }
  if (window.statepath) window.statepath.takeAway = add;
})();
