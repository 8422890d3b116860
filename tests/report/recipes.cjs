// Recipes of made recordings for the browser tests.
"use strict";

// Of n classes (a number, or names) recordings with so many steps in which a class stays with probability `stay`, a classifier that is
// right four times out of five, and rules that allow what the recordings do and a tenth of the rest: [recipe, model].
module.exports = function makeRecipe(name, classes, recordings, steps, stay) {
  let seed = 11;
  const draw = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const labels = Array.isArray(classes) ? classes : Array.from({ length: classes }, (none, k) => ["take", "pour", "open", "cut", "stir", "wash", "put"][k % 7] + " " +
    ["cup", "milk", "drawer", "bread"][k >> 3] + (k % 8 ? " " + (k % 8) : ""));
  const K = labels.length;
  const others = (i, n) => {
    const found = new Set();
    while (found.size < Math.min(n, K - 1)) found.add((i + 1 + draw(K - 1)) % K);
    return [...found];
  };
  const row = (i, own, n) => {
    const to = others(i, n), values = new Array(K).fill(0);
    to.forEach((j) => (values[j] = (1 - own) / to.length));
    values[i] = own;
    return values;
  };
  const transitions = labels.map((label, i) => row(i, stay, 4));
  const recipe = {
    statepath_recipe: 1, name, seed: 3, classes: labels, recordings, steps, transitions,
    start: Object.fromEntries(labels.map((label) => [label, 1 / K])),
    classifier: { confusion: labels.map((label, i) => row(i, 0.8, 3)), error_run: 3, noise: 0.8, overconfidence: 1.3 },
  };
  const allow = Object.fromEntries(labels.map((label, i) => [label, labels.filter((to, j) => transitions[i][j] > 0 || draw(10) === 0)]));
  return [recipe, { statepath_model: 1, name: name + "-rules", classes: labels, allow }];
};

// Sentences of BIO tags that keep to the rules, and a tagger that mixes up types and misses beginnings.
module.exports.tags = function tagRecipe(name, types, recordings, steps) {
  const classes = ["O", ...types.flatMap((type) => ["B-" + type, "I-" + type])], n = types.length;
  const row = (weight) => {
    const weights = classes.map(weight), sum = weights.reduce((a, b) => a + b);
    return weights.map((w) => w / sum);
  };
  const prefix = (tag) => tag[0], type = (tag) => tag.slice(2);
  const start = row((to) => (prefix(to) === "O" ? 8 : prefix(to) === "B" ? 2 / n : 0));
  return {
    statepath_recipe: 1, name, seed: 5, classes, recordings, steps, start: Object.fromEntries(classes.map((tag, k) => [tag, start[k]])),
    transitions: classes.map((from) => row((to) => (prefix(to) === "O" ? 8 : prefix(to) === "B" ? 2 / n : from !== "O" && type(from) === type(to) ? 6 : 0))),
    classifier: {
      confusion: classes.map((from) => row((to) => (from === to ? 12 : to === "O" ? 2 : from === "O" ? 0.2 / n : (prefix(from) === prefix(to)) !== (type(from) === type(to)) ? 1 / n : 0))),
      noise: 0.8, overconfidence: 1.3,
    },
  };
};
