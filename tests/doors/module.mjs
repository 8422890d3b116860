// Asks the module what test_doors_module.py asks: node module.mjs WRAPPER MODULE TASKS.
// TASKS (JSON): {decode: [{model, scores base64 of float64, strategy, gaps, missing}], expressions: [text of JavaScript that uses `statepath` and `model`]}.
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
console.log(JSON.stringify({
  decode: decode.map(({ model, scores: packed, strategy, gaps, missing }) => answer(() => {
    const rules = statepath.rules(model), scores = new Float64Array(Uint8Array.from(Buffer.from(packed, "base64")).buffer), options = { gaps, missing };
    const { path, status } = rules.decode(scores, strategy, options);
    rules.free();
    return { path: [...path], status };
  })),
  expressions: expressions.map((text) => answer(() => new Function("statepath", "model", "return " + text)(statepath, model))),
}));
