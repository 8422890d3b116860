// Asks the module what test_doors_module.py asks: node module.mjs WRAPPER MODULE TASKS.
// TASKS (JSON): {decode: [{model, scores base64 of float64, strategy, gaps, missing}], expressions: [text of JavaScript that uses `statepath` and `model`]}.
// With n: also confidence and log Z of the path, the n best paths; with cuts, the lengths of pieces: what an exact stream decides of each.
// Printed (JSON): of each the path and status, the value, or the sentence {error}.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [wrapper, file, taskFile] = process.argv.slice(2);
const { load } = await import(pathToFileURL(wrapper));
const statepath = await load(fs.readFileSync(file)), { decode, expressions } = JSON.parse(fs.readFileSync(taskFile, "utf8"));
const model = { statepath_model: 1, name: "m", classes: ["a", "b"], matrix: [[1, 0], [1, 1]] };
const answer = (ask) => {
  try {
    return ask();
  } catch (error) {
    return { error: error.message };
  }
};
function streamed(rules, scores, gaps, cuts) {
  const stream = rules.stream({ missing: "uniform" }), K = rules.nClasses, pieces = [];
  let first = 0;
  for (const n of cuts) {
    const { status, path } = stream.push(scores.slice(first * K, (first + n) * K), gaps && gaps.slice(first, first + n));
    pieces.push([...path]);
    first += n;
    if (status !== "ok") break;
  }
  if (first * K === scores.length) pieces.push([...stream.finish().path]);
  stream.free();
  return pieces;
}
console.log(JSON.stringify({
  decode: decode.map(({ model, scores: packed, strategy, gaps, missing, n, cuts }) => answer(() => {
    const rules = statepath.rules(model), scores = new Float64Array(Uint8Array.from(Buffer.from(packed, "base64")).buffer), options = { gaps, missing };
    const { path, status } = rules.decode(scores, strategy, options), more = {};
    if (n && status === "ok") {
      const { confidence, logPartition } = rules.confidence(scores, path, options), best = rules.nBest(scores, n, options);
      Object.assign(more, { confidence: [...confidence], logPartition, paths: best.paths.map((one) => [...one]), scores: [...best.scores] });
    }
    if (cuts) more.pieces = streamed(rules, scores, gaps, cuts);
    rules.free();
    return { path: [...path], status, ...more };
  })),
  expressions: expressions.map((text) => answer(() => new Function("statepath", "model", "return " + text)(statepath, model))),
}));
