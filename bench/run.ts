/**
 * Entry point of `npm run bench`: runs the suites one after another, judges the targets, prints the page and
 * writes JSON, Markdown and SVG. A missed target is a line of the page, not a failed run: machines differ.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { chosenBuilds } from './contenders/builds.ts';
import { parseOptions, usage } from './options.ts';
import { comparison } from './report/compare.ts';
import { describeCommit, describeMachine, describeVersions } from './report/machine.ts';
import { markdown } from './report/markdown.ts';
import { judgeTargets } from './report/targets.ts';
import type { Case, RunRecord } from './report/types.ts';
import { writeRun } from './report/write.ts';
import { readMeasurements } from './scaling/measurements.ts';
import { scalingPage } from './scaling/page.ts';
import type { SuiteContext } from './suite.ts';
import { SUITES } from './suites.ts';
import { root, temporaryFolder } from './support/paths.ts';

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

async function measure(only: readonly string[], context: SuiteContext): Promise<Case[]> {
  const cases: Case[] = [];
  for (const suite of SUITES.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const began = performance.now();
    cases.push(...(await suite.run(context)));
    say(`${suite.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
  return cases;
}

function readRun(file: string): RunRecord {
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  if (run.schema !== 1)
    throw new Error(`${file}: expected a results file of schema 1, got schema ${run.schema}`);
  return run;
}

async function main(args: readonly string[]): Promise<void> {
  const names = SUITES.map((suite) => suite.name);
  const options = parseOptions(args, names);
  if (options.isHelp) {
    process.stdout.write(`${usage(names)}\n`);
    return;
  }
  if (options.scaling !== undefined) {
    process.stdout.write(scalingPage(readMeasurements(), options.scaling));
    return;
  }
  const began = performance.now();
  if (options.compare.length === 2) {
    const [before, after] = options.compare.map(readRun) as [RunRecord, RunRecord];
    process.stdout.write(comparison(before, after));
    return;
  }
  // Read before the run, so that an invalid file is reported immediately.
  const former = options.compare.map(readRun)[0];
  const notMeasured: Record<string, string> = {};
  const leaveOut = (name: string, reason: string): void => {
    notMeasured[name] = reason;
    say(`${name} is left out: ${reason}`);
  };
  const folder = temporaryFolder('run');
  try {
    const head = {
      schema: 1,
      date: new Date().toISOString(),
      ...describeCommit(),
      mode: options.budget.mode,
      machine: describeMachine(folder.path),
      versions: describeVersions(),
    } as const;
    const cases = await measure(options.only, {
      budget: options.budget,
      folder: folder.path,
      say,
      leaveOut,
    });
    const {
      httpBackends,
      httpConnections,
      signinConnections,
      refreshConnections,
      batches,
      mode: _mode,
      ...numbers
    } = options.budget;
    const run: RunRecord = {
      ...head,
      settings: {
        ...numbers,
        batches: batches.join(' '),
        httpBackends: httpBackends.join(' '),
        httpConnections: httpConnections.join(' '),
        signinConnections: signinConnections.join(' '),
        refreshConnections: refreshConnections.join(' '),
      },
      durationSeconds: Math.round((performance.now() - began) / 1000),
      chosen: await chosenBuilds(),
      notMeasured,
      targets: judgeTargets(cases),
      cases,
    };
    process.stdout.write(markdown(run, []));
    if (former !== undefined) process.stdout.write(`\n${comparison(former, run)}`);
    const output = options.output ?? join(root, 'bench', 'results');
    for (const file of writeRun(run, output)) say(`written: ${join(relative(process.cwd(), output), file)}`);
  } finally {
    folder.remove();
  }
}

try {
  await main(process.argv.slice(2));
  // The WASM libraries of the peers keep handles open that would prevent the exit.
  process.exit(0);
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
