import { relative } from 'node:path';
import { root } from './tools.mjs';

const SHOWN = 10;

/** Ends a run of several files with what they cost: the most expensive ones, and the sum of each folder of `test`. */
export default class Costs {
  /** Prints the seconds of tests, hooks and imports. Files run side by side, so their sum exceeds the time of the run. */
  onTestRunEnd(testModules) {
    if (testModules.length < 2) return;
    const files = new Map();
    const folders = new Map();
    for (const module of testModules) {
      const { duration, collectDuration } = module.diagnostic();
      const path = relative(root, module.moduleId);
      const folder = path.split('/').slice(0, -1)[1] ?? 'test';
      files.set(path, duration + collectDuration);
      folders.set(folder, (folders.get(folder) ?? 0) + duration + collectDuration);
    }
    const sum = [...files.values()].reduce((a, b) => a + b, 0);
    console.log(`\n ${seconds(sum)} in ${files.size} files, of which`);
    for (const [path, ms] of descending(files).slice(0, SHOWN))
      console.log(`${seconds(ms).padStart(10)}  ${path}`);
    const shares = descending(folders).map(([folder, ms]) => `${folder} ${seconds(ms)}`);
    console.log(` by folder: ${shares.join(', ')}\n`);
  }
}

function descending(costs) {
  return [...costs].sort(([, a], [, b]) => b - a);
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
