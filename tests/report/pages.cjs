// Pages of every kind of data, for the tests in Chromium and for what they are measured by: made by the program in a folder.
"use strict";
const fs = require("fs"), path = require("path");
const { execFileSync } = require("child_process");
const makeRecipe = require("./recipes.cjs");

const sleep = ["Wake", "N1", "N2", "N3", "REM"];
const demo = path.join(process.env.STATEPATH_SOURCE, "datasets/sleep-demo.h5");
const tags = path.join(process.env.STATEPATH_SOURCE, "datasets/entities-demo.recipe.json");

module.exports = function pagesIn(folder) {
  const at = (name) => path.join(folder, name);
  const program = (...args) => execFileSync(process.env.STATEPATH, [...args, "-q", "-f"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  // A recipe and its rules: NAME.h5, NAME.model.json.
  function made(name, ...shape) {
    const [recipe, model] = makeRecipe(name, ...shape);
    fs.writeFileSync(at(name + ".recipe.json"), JSON.stringify(recipe));
    fs.writeFileSync(at(name + ".model.json"), JSON.stringify(model));
    program("simulate", name + ".recipe.json", "-o", name + ".h5");
    return [name + ".h5", "--model", name + ".model.json"];
  }
  const nights = (name, n) => [made(name, sleep, n, [800, 1000], 0.95)[0], "--model", "sleep-strict"];
  // Of each the inputs of `compare`.
  const inputs = {
    demo: () => [demo, "--model", "sleep-strict", "--rule-costs"],
    hundred: () => nights("hundred", 100),
    many: () => nights("many", 200),
    thousands: () => nights("thousands", 2000),
    day: () => [made("day", sleep, 2, [86400, 86400], 0.985)[0], "--model", "sleep-strict", "--epoch-seconds", "1"],
    day28: () => [...made("day28", 28, 1, [86400, 86400], 0.985), "--epoch-seconds", "1"],
    classes: () => made("classes", 28, 8, [500, 1100], 0.97),
    classes59: () => made("classes59", 59, 8, [500, 1100], 0.97),
    classes64: () => made("classes64", 64, 8, [500, 1100], 0.97),
    actions: () => made("actions", 18, 8, [300, 900], 0.96),
    cooking: () => made("cooking", ["background", "take", "pour", "open", "stir", "cut", "wash", "put"], 6, [200, 300], 0.9),
    tags: () => {
      program("simulate", tags, "-o", "tags.h5");
      fs.writeFileSync(at("tags.model.json"), execFileSync(process.env.STATEPATH, ["model", "new", "bio", "--types", "PER,LOC,ORG"]));
      return ["tags.h5", "--model", "tags.model.json"];
    },
    two: () => [demo, "--model", "sleep-strict", "--strategies", "argmax,viterbi"],
    six: () => [demo, "--model", "sleep-strict", "--strategies", "argmax,greedy,beam:4,viterbi,posterior,mea"],
    against: () => [demo, "--model", "sleep-strict", "--against", "again=" + demo],
  };
  return { at, program, inputs };
};
