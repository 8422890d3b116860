// Decodes what a page holds by its module: test_what_if.py writes the task and reads the paths.
//   node what_if.mjs WRAPPER MODULE SCORES TASK OUT
// SCORES: the page's packed recordings. TASK (JSON): settings of the page; models, each with "decoding"; strategies.
// Printed (JSON): version; of each model the sentence that refuses it, or ""; of each the illegal transitions of the last strategy's paths, by
// recording, the sums of their marks, and the violations of rules that no path breaks, and of those that have a price.
// OUT: of each recording its scores, a float64 each, labels, an int32 a step, and gaps, a byte a step, where the page has them; then for each
// model a byte, 1 where the rules were refused, else 0 and then for each strategy and recording its path, a byte a step.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [wrapper, file, scoresFile, taskFile, outFile] = process.argv.slice(2);
const { load } = await import(pathToFileURL(wrapper));
const { settings, models, strategies } = JSON.parse(fs.readFileSync(taskFile, "utf8")), statepath = await load(fs.readFileSync(file));
const list = settings.recordings.map(([id, nSteps, hasGaps, nBytes]) => ({ nSteps, nBytes, hasGaps, hasLabels: settings.labels }));
const unpacker = statepath.unpacker(settings.model.classes.length, fs.readFileSync(scoresFile), { missing: "uniform", onInfeasible: settings.on_infeasible });
const recordings = list.map((one) => unpacker.next(one));
unpacker.free();
const out = [], sentences = [], illegal = [];
for (const { recording, labels, gaps } of recordings) out.push(recording.values(), labels || new Int32Array(), gaps || new Uint8Array());
for (const model of models) {
  let rules;
  try {
    rules = statepath.rules(model, settings.log_prior);
  } catch (error) {
    out.push(Uint8Array.of(1));
    sentences.push(error.message);
    illegal.push(null);
    continue;
  }
  out.push(Uint8Array.of(0));
  sentences.push("");
  let paths;
  for (const strategy of strategies) {
    paths = recordings.map((one) => rules.decode(one.recording, strategy).path);
    for (const path of paths) out.push(Int8Array.from(path));
  }
  illegal.push(paths.map((path, i) => {
    const marks = new Uint8Array(path.length);
    const { hard, priced } = rules.countViolations(path, recordings[i].gaps);
    return [rules.countIllegal(path, recordings[i].gaps, marks), marks.reduce((a, b) => a + b, 0), hard, priced];
  }));
  rules.free();
}
fs.writeFileSync(outFile, Buffer.concat(out.map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength))));
console.log(JSON.stringify({ version: statepath.version, sentences, illegal }));
