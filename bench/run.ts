/**
 * Entry of `npm run bench`: runs the suites one after another, judges the targets, prints the page and writes JSON,
 * Markdown and SVG. A missed target is a line of the page, not a failed run: machines differ.
 */
import { join, relative } from 'node:path';
import { parseOptions, usage } from './options.ts';
import { describeCommit, describeMachine, describeVersions } from './report/machine.ts';
import { markdown } from './report/markdown.ts';
import { judgeTargets } from './report/targets.ts';
import type { Case, RunRecord } from './report/types.ts';
import { writeRun } from './report/write.ts';
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

async function main(args: readonly string[]): Promise<void> {
  const names = SUITES.map((suite) => suite.name);
  const options = parseOptions(args, names);
  if (options.isHelp) {
    process.stdout.write(`${usage(names)}\n`);
    return;
  }
  const began = performance.now();
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
    const cases = await measure(options.only, { budget: options.budget, folder: folder.path, say });
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
      targets: judgeTargets(cases),
      cases,
    };
    process.stdout.write(markdown(run, []));
    const output = options.output ?? join(root, 'bench', 'results');
    say(`written: ${join(relative(process.cwd(), output), writeRun(run, output))}.{json,md,svg}`);
  } finally {
    folder.remove();
  }
}

try {
  await main(process.argv.slice(2));
  // The WASM libraries of the peers keep handles open after their work is done.
  process.exit(0);
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
