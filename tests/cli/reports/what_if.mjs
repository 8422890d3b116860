// Decodes recordings by the module: test_what_if.py writes the task and reads the paths.
//   node what_if.mjs WRAPPER MODULE TASK OUT
// TASK (JSON): classes; log_prior; strategies; recordings [[steps, gaps base64 or null, packed base64]]; models [model with "decoding"].
// Printed (JSON): version; of each model the sentence that refuses it, or ""; of each the illegal transitions of the last strategy's paths, by
// recording, and the sums of their marks.
// OUT: for each model a byte, 1 where the rules were refused, else 0 and then for each strategy and recording its path, a byte a step.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [wrapper, file, taskFile, outFile] = process.argv.slice(2);
const { load, rulesOfModel } = await import(pathToFileURL(wrapper));
const task = JSON.parse(fs.readFileSync(taskFile, "utf8")), statepath = await load(fs.readFileSync(file));
const bytes = (text) => (text === null ? null : new Uint8Array(Buffer.from(text, "base64")));
const recordings = task.recordings.map(([nSteps, gaps, packed]) =>
  statepath.recording({ nSteps, nClasses: task.classes, gaps: bytes(gaps), packed: bytes(packed) }));
const out = [], sentences = [], illegal = [];
for (const model of task.models) {
  let rules;
  try {
    rules = statepath.rules(rulesOfModel(model));
  } catch (error) {
    out.push(Uint8Array.of(1));
    sentences.push(error.message);
    illegal.push(null);
    continue;
  }
  out.push(Uint8Array.of(0));
  sentences.push("");
  for (const recording of recordings) recording.prepare(model.decoding.temperature, model.decoding.prior_weight, task.log_prior);
  let paths;
  for (const strategy of task.strategies) {
    paths = recordings.map((recording) => rules.decode(recording, strategy).path);
    for (const path of paths) out.push(Int8Array.from(path));
  }
  illegal.push(paths.map((path, i) => {
    const marks = new Uint8Array(path.length);
    return [rules.countIllegal(path, bytes(task.recordings[i][1]), marks), marks.reduce((a, b) => a + b, 0)];
  }));
  rules.free();
}
fs.writeFileSync(outFile, Buffer.concat(out.map((one) => Buffer.from(one.buffer))));
console.log(JSON.stringify({ version: statepath.version, sentences, illegal }));
