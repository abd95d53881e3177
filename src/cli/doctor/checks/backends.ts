import type { Config } from '../../../config/index.ts';
import {
  type BackendChoice,
  choiceOf,
  compareBackends,
  type Engine,
  type EngineSettings,
  SHIPPED_CHOICES,
} from '../../../engine/index.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

/** One arithmetic of this machine: it passes its vectors, or there is a problem. */
interface Look {
  readonly choice: BackendChoice;
  readonly problem?: string;
  /** How its answers differ from those of the engine it was compared with. */
  readonly difference?: string;
}

const isNative = (choice: string): boolean => choice.startsWith('native');
const isFaulty = ({ problem }: Look): boolean => problem?.includes('fails its vectors') ?? false;
const namesOf = (looks: readonly Look[]): string => looks.map(({ choice }) => choice).join(', ');

/** Settings of an engine that runs in this thread, for one look at a backend. */
function inThread(backend: BackendChoice): EngineSettings {
  return { workers: 0, backend, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 };
}

async function look(choice: BackendChoice, context: CommandContext, other?: Engine): Promise<Look> {
  try {
    return await context.withEngine(inThread(choice), async (engine) => {
      const difference = other && (await compareBackends(other, engine));
      return difference === undefined ? { choice } : { choice, difference };
    });
  } catch (error) {
    return { choice, problem: messageOf(error) };
  }
}

/** Looks at each arithmetic, beside WASM where that runs: no choice of the addon changes what it computes with. */
async function lookAtAll(context: CommandContext): Promise<Look[]> {
  const looks: Look[] = [];
  const lookBeside = async (wasm?: Engine): Promise<void> => {
    for (const choice of SHIPPED_CHOICES) looks.push(await look(choice, context, wasm));
  };
  const { problem } = await look('wasm', context);
  await (problem === undefined ? context.withEngine(inThread('wasm'), lookBeside) : lookBeside());
  return looks;
}

/** What the looks at one backend come to. */
function checkKind(
  name: string,
  looks: readonly Look[],
  absent: (problem: string) => CheckResult,
): CheckResult {
  const running = looks.filter(({ problem }) => problem === undefined);
  const faulty = looks.filter(isFaulty);
  const missing = looks.filter((one) => one.problem !== undefined && !isFaulty(one));
  if (faulty.length > 0) {
    const detail = faulty.map(({ problem }) => problem).join('; ');
    return fail(
      name,
      detail,
      'Report it, with the model of the processor; set engine.backend to another one.',
    );
  }
  const [first] = missing;
  if (running.length === 0) return absent(first?.problem ?? 'nothing of it was found');
  const left = missing.length === 0 ? '' : `; not on this machine: ${namesOf(missing)}`;
  const verb = running.length === 1 ? 'passes its vectors' : 'pass their vectors';
  return ok(name, `${namesOf(running)} ${verb}${left}`);
}

function noAddon(problem: string, choice: BackendChoice, isProduction: boolean): CheckResult {
  const cure = 'Install Rust 1.89 or later and run `npm run build:native`, or set engine.backend to wasm.';
  if (isNative(choice)) return fail('addon', problem, cure);
  if (choice !== 'auto') return ok('addon', `not used (engine.backend is ${choice}): ${problem}`);
  const detail = `${problem}; WASM runs in its place, several times slower`;
  // A machine without Rust runs WASM by design; who serves others should have said so.
  return isProduction ? warn('addon', detail, cure) : ok('addon', detail);
}

function noWasm(problem: string): CheckResult {
  const cure = 'Restore wasm/artifact from the repository, or build it with `npm run build:wasm`.';
  return fail('wasm', problem, cure);
}

function checkAgreement(looks: readonly Look[]): CheckResult[] {
  const different = looks.find(({ difference }) => difference !== undefined);
  if (different?.difference !== undefined) {
    const cure = 'Build both again from the same sources: `npm run build:native`.';
    return [fail('agreement', different.difference, cure)];
  }
  const running = looks.filter(({ problem }) => problem === undefined);
  const isCompared = running.length > 1 && running.some(({ choice }) => !isNative(choice));
  return isCompared ? [ok('agreement', `${namesOf(running)} give the same answers`)] : [];
}

/** Which arithmetic the settings choose here, and why. */
async function checkChoice({ engine }: Config, context: CommandContext): Promise<CheckResult> {
  try {
    return await context.withEngine(inThread(engine.backend), async (chosen) => {
      const { arithmetic, reason } = chosen.stats();
      return ok('arithmetic', `${choiceOf(arithmetic)}: ${reason}`);
    });
  } catch (error) {
    return fail('arithmetic', messageOf(error), 'Set engine.backend to auto.');
  }
}

/** Which arithmetics of addon and WASM run here and pass their vectors, whether they agree, and which is used. */
export async function checkBackends(config: Config, context: CommandContext): Promise<CheckResult[]> {
  const {
    engine: { backend },
    profile,
  } = config;
  const looks = await lookAtAll(context);
  const natives = looks.filter(({ choice }) => isNative(choice));
  const wasms = looks.filter(({ choice }) => !isNative(choice));
  return [
    checkKind('addon', natives, (problem) => noAddon(problem, backend, profile === 'production')),
    checkKind('wasm', wasms, noWasm),
    ...checkAgreement(looks),
    await checkChoice(config, context),
  ];
}
