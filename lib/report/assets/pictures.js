
/* Figures to take away, as SVG with its styles and as PNG, in the light colours; as html/pictures.c makes them without a browser. */
window.statepathLater(() => {
  "use strict";
  const WIDTH = 1000, NAMES = 180, CLASSES = 70, GAP = 8, TITLE = 30, STYLE = "@picture_style@"; /* embed.cmake puts it in */
  const xml = (node) => new XMLSerializer().serializeToString(node);
  const slug = (text) => text.toLowerCase().replace(/[^a-z0-9\u0080-\uffff]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  function placed(svg, x, y, width, height) {
    const copy = svg.cloneNode(true);
    copy.querySelectorAll("use.broad").forEach((use) => {
      const path = copy.querySelector(use.getAttribute("href")).cloneNode();
      path.removeAttribute("id");
      path.setAttribute("class", "broad");
      use.replaceWith(path);
    });
    copy.querySelectorAll(".ring").forEach((ring) => ring.remove());
    ["tabindex", "role", "aria-roledescription"].forEach((name) => copy.removeAttribute(name));
    Object.entries({ x, y, width, height, overflow: "visible" }).forEach(([name, value]) => copy.setAttribute(name, value));
    return xml(copy);
  }
  function text(y, size, weight, words) {
    const safe = words.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));
    return `<text y="${y}" font-size="${size}" font-weight="${weight}">${safe}</text>`;
  }
  /* [text, width, height] of a figure. */
  function compose(figure, title) {
    const tracks = Array.from(figure.querySelectorAll(".track")).filter((track) => track.checkVisibility());
    let width = WIDTH, height = TITLE, body = text(16, 14, 600, title);
    tracks.forEach((track) => {
      const name = track.querySelector(".name"), small = name.querySelector("small"), [plot, classes] = track.querySelectorAll(".rows > svg");
      const tall = Number(plot.getAttribute("height"));
      body += text(height + 18, 13, 600, (name.firstChild || name).textContent) + text(height + 33, 10, 400, small ? small.textContent : "") +
        placed(plot, NAMES, height, WIDTH - NAMES - CLASSES, tall) + placed(classes, WIDTH - CLASSES + 6, height, CLASSES - 6, tall);
      height += tall + GAP;
    });
    if (!tracks.length) {
      const svg = figure.querySelector("svg[viewBox]");
      ({ width, height } = svg.viewBox.baseVal);
      body = placed(svg, 0, 0, width, height);
    }
    return [`<svg xmlns="${document.querySelector("svg").namespaceURI}" class="${tracks.length ? "track" : figure.className || figure.parentNode.className}" ` +
      `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif"><style>${STYLE}</style>` +
      Array.from(document.querySelectorAll("svg.swatch > defs"), xml).join("") + `<rect width="100%" height="100%" fill="#fff"/>${body}</svg>\n`, width, height];
  }
  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  function png([picture, width, height], name) {
    const image = new Image(), canvas = document.createElement("canvas");
    image.onload = () => {
      canvas.width = 2 * width;
      canvas.height = 2 * height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, name));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(picture);
  }
  function titleOf(figure) {
    const plot = figure.querySelector(".stepplot"), label = plot && plot.getAttribute("aria-label");
    if (label) return label.replace(/\. Arrow keys.*/, "");
    if (/^what-if/.test(figure.dataset.file)) return "What if: " + figure.querySelector("figcaption").textContent.replace(/\. .*/, "");
    if (/^before-and-after/.test(figure.dataset.file)) return "Before and after: " + figure.querySelector("figcaption a").textContent;
    const heading = figure.querySelector("svg[viewBox] > title") || figure.querySelector("title, figcaption");
    return heading ? heading.textContent.slice(0, 80) : "figure";
  }
  function add(figure) {
    if (!figure.querySelector("svg[viewBox], .track")) return;
    const tools = figure.querySelector(".tools"), caption = figure.querySelector("figcaption"), line = tools || document.createElement("span");
    ["SVG", "PNG"].forEach((kind) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "csv";
      button.textContent = kind;
      button.setAttribute("aria-label", "Download as " + kind + ": " + titleOf(figure));
      button.addEventListener("click", () => {
        const title = titleOf(figure), made = compose(figure, title);
        const name = slug(document.title.replace(/ \u2013 (decoding report \u2013 )?statepath.*/, "")) + "_" + (figure.dataset.file || slug(title)) + "." + kind.toLowerCase();
        if (kind === "PNG") png(made, name);
        else save(new Blob([made[0]], { type: "image/svg+xml" }), name);
      });
      line.append(button);
    });
    if (tools) return;
    line.className = "take no-print";
    if (caption) caption.insertBefore(line, caption.querySelector("details"));
    else figure.append(line);
  }
  document.querySelectorAll("main figure").forEach(add);
  if (window.statepath) window.statepath.takeAway = add;
});
