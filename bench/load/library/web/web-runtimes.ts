/** The web entry and snarkjs on one thread in Chromium, Deno and Bun, as far as they are installed. */
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { toolPath } from '../../../../test/library/support/packed-library.ts';
import { serveFolder } from '../../../../test/library/web/support/static-site.ts';
import { CHROMIUM_OPTIONS, isChromiumPresent } from '../../../../test/support/browser/shared-chromium.ts';
import type { SnarkjsStatement } from '../../../contenders/proof-set.ts';
import type { Case } from '../../../report/types.ts';
import type { SuiteContext } from '../../../suite.ts';
import { startChild } from '../../../support/child.ts';
import type { LibraryCalls } from '../library-calls.ts';
import { type LibraryContender, SNARKJS_PROOFS } from '../library-contender.ts';
import { makeWebProject, type WebProject } from './web-project.ts';

type Choice = 'proofgate/web' | 'snarkjs';
type Calls = LibraryCalls<Choice>;
type Call = <K extends keyof Calls>(
  name: K,
  argument: Parameters<Calls[K]>[0],
) => Promise<Awaited<ReturnType<Calls[K]>>>;

/** A new process or page that answers calls. */
interface Instance {
  /** When the process or the navigation started, by the clock of this process. */
  readonly startedAt: number;
  readonly call: Call;
  stop(): Promise<void>;
}

interface Runtime {
  readonly name: 'chromium' | 'deno' | 'bun';
  readonly clock: LibraryContender['clock'];
  start(): Promise<Instance>;
  end(): Promise<void>;
}

/** The runtimes of this machine. */
export interface WebRuntimes {
  readonly contenders: readonly LibraryContender[];
  /** Measures new processes and pages, from their start to their first verdict, in rounds with all libraries. */
  coldStarts(rounds: number, key: unknown, statement: SnarkjsStatement): Promise<Case[]>;
  end(): Promise<void>;
}

const LIBRARIES: readonly (readonly [name: string, choice: Choice])[] = [
  ['wasm', 'proofgate/web'],
  ['snarkjs', 'snarkjs'],
];
const DENO = '@deno/linux-x64-glibc/deno';
const BUN = '@oven/bun-linux-x64/bin/bun';

function processRuntime(name: 'deno' | 'bun', command: readonly string[], project: WebProject): Runtime {
  // Neither looks for a newer version of itself, and Deno's cache goes with the folder.
  const env = { DENO_DIR: `${project.folder}/.deno`, DENO_NO_UPDATE_CHECK: '1' };
  return {
    name,
    clock: 'processorMs',
    async start() {
      const runtime = { command, cwd: project.folder, env };
      const startedAt = performance.now();
      const { call, stop } = startChild<Calls>(pathToFileURL(project.program), { runtime });
      return { startedAt, call, stop };
    },
    end: async () => undefined,
  };
}

async function chromiumRuntime(folder: string): Promise<Runtime> {
  // An isolated page has a clock of 5 µs instead of 100 µs.
  const site = await serveFolder(folder, {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
  const browser = await chromium.launch(CHROMIUM_OPTIONS);
  return {
    name: 'chromium',
    clock: 'wallMs',
    async start() {
      const context = await browser.newContext();
      const page = await context.newPage();
      const startedAt = performance.now();
      await page.goto(site.origin);
      const call = (name: string, argument: unknown): Promise<unknown> =>
        page.evaluate(
          ([called, data]) =>
            (globalThis as unknown as { calls: Record<string, (data: unknown) => Promise<unknown>> }).calls[
              called
            ]?.(data),
          [name, argument] as const,
        );
      return { startedAt, call: call as Call, stop: () => context.close() };
    },
    async end() {
      await browser.close();
      await site.close();
    },
  };
}

function contenderOf(
  { name: runtime, clock, start }: Runtime,
  [name, choice]: (typeof LIBRARIES)[number],
  mostProofs: number,
): LibraryContender {
  const isPeer = choice === 'snarkjs';
  return {
    name,
    runtime,
    isPeer,
    threads: 'one',
    clock,
    mostProofs: isPeer ? SNARKJS_PROOFS : mostProofs,
    async open(key, statements) {
      const { call, stop } = await start();
      try {
        const remark = await call('open', { choice, key, statements });
        return {
          ...(remark !== undefined && { remark }),
          answers: (asked) => call('answers', { statements: asked }),
          single: (calls) => call('single', { calls }),
          many: (count) => call('many', { count }),
          close: stop,
        };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}

async function firstVerdictMs(
  { start }: Runtime,
  choice: Choice,
  key: unknown,
  statement: SnarkjsStatement,
): Promise<number> {
  const { startedAt, call, stop } = await start();
  try {
    await call('open', { choice, key, statements: [statement] });
    const [isValid] = await call('answers', { statements: [statement] });
    const spent = performance.now() - startedAt;
    if (isValid !== true) throw new Error(`${choice}: expected a valid proof`);
    return spent;
  } finally {
    await stop();
  }
}

async function coldStarts(
  runtimes: readonly Runtime[],
  rounds: number,
  key: unknown,
  statement: SnarkjsStatement,
): Promise<Case[]> {
  const rows = runtimes.flatMap((runtime) =>
    LIBRARIES.map(([contender, choice]) => ({ runtime, contender, choice, samples: [] as number[] })),
  );
  for (let round = 0; round < rounds; round++)
    for (const { runtime, choice, samples } of rows)
      samples.push(await firstVerdictMs(runtime, choice, key, statement));
  return rows.map(({ runtime: { name: runtime }, contender, choice, samples }) => ({
    subject: 'library.cold-start',
    contender,
    parameters: { inputs: 4, runtime },
    unit: 'ms',
    isPeer: choice === 'snarkjs',
    samples,
    note:
      runtime === 'chromium'
        ? 'from the navigation of a new page, in a running browser'
        : 'from the start of a process',
  }));
}

/** Prepares the installed runtimes; names those that are absent. */
export async function openWebRuntimes({ budget, leaveOut }: SuiteContext): Promise<WebRuntimes> {
  const [deno, bun] = [toolPath(DENO), toolPath(BUN)];
  if (!isChromiumPresent) leaveOut('library in chromium', 'Chromium is not installed');
  if (deno === undefined) leaveOut('library in deno', `${DENO} is not in .cache/library-tools`);
  if (bun === undefined) leaveOut('library in bun', `${BUN} is not in .cache/library-tools`);
  if (!isChromiumPresent && deno === undefined && bun === undefined)
    return { contenders: [], coldStarts: async () => [], end: async () => undefined };
  const project = await makeWebProject(isChromiumPresent);
  const runtimes: Runtime[] = [];
  const end = async (): Promise<void> => {
    for (const runtime of runtimes) await runtime.end();
    await project.remove();
  };
  try {
    if (project.page !== undefined) runtimes.push(await chromiumRuntime(project.page));
    if (deno !== undefined)
      runtimes.push(processRuntime('deno', [deno, 'run', '--cached-only', '--no-prompt', '-A'], project));
    if (bun !== undefined) runtimes.push(processRuntime('bun', [bun], project));
  } catch (error) {
    await end();
    throw error;
  }
  const mostProofs = budget.mode === 'full' ? Number.POSITIVE_INFINITY : 1000;
  const contenders = runtimes.flatMap((runtime) =>
    LIBRARIES.map((library) => contenderOf(runtime, library, mostProofs)),
  );
  return {
    contenders,
    coldStarts: (rounds, key, statement) => coldStarts(runtimes, rounds, key, statement),
    end,
  };
}
