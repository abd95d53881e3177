import type { Config } from '../../../config/settings/types.ts';
import { type BackendChoice, choiceOf } from '../../../engine/backends/backend.ts';
import { differenceOf } from '../../../engine/backends/compare-backends.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';
import { inThread, type Trial, tryBackends } from './backend-trials.ts';

const isNative = (choice: string): boolean => choice.startsWith('native');
const namesOf = (trials: readonly Trial[]): string => trials.map(({ choice }) => choice).join(', ');

/** Summarizes the trials of one backend. */
function checkKind(
  name: string,
  trials: readonly Trial[],
  absent: (problem: string) => CheckResult,
): CheckResult {
  const running = trials.filter(({ problem }) => problem === undefined);
  const faulty = trials.filter(({ isFaulty }) => isFaulty);
  const missing = trials.filter(({ problem, isFaulty }) => problem !== undefined && !isFaulty);
  if (faulty.length > 0) {
    const detail = faulty.map(({ problem }) => problem).join('; ');
    return fail(
      name,
      detail,
      'Report it, with the model of the processor; set engine.backend to another one.',
    );
  }
  const [first] = missing;
  if (running.length === 0) return absent(first?.problem ?? 'not found');
  const left = missing.length === 0 ? '' : `; not on this machine: ${namesOf(missing)}`;
  const verb = running.length === 1 ? 'passes its vectors' : 'pass their vectors';
  return ok(name, `${namesOf(running)} ${verb}${left}`);
}

function noAddon(problem: string, choice: BackendChoice, isProduction: boolean): CheckResult {
  const cure = 'Install Rust 1.89 or later and run `npm run build:native`, or set engine.backend to wasm.';
  if (isNative(choice)) return fail('addon', problem, cure);
  if (choice !== 'auto') return ok('addon', `not used (engine.backend is ${choice}): ${problem}`);
  const detail = `${problem}; WASM runs instead, several times slower`;
  // A development machine without Rust runs WASM by design; in production it should be chosen explicitly.
  return isProduction ? warn('addon', detail, cure) : ok('addon', detail);
}

function noWasm(problem: string): CheckResult {
  const cure = 'Restore wasm/artifact from the repository, or build it with `npm run build:wasm`.';
  return fail('wasm', problem, cure);
}

/** Compares each arithmetic that runs with the best one of WASM that runs. */
function checkAgreement(trials: readonly Trial[]): CheckResult[] {
  const running = trials.flatMap(({ answers }) => answers ?? []);
  const wasm = running.find(({ name }) => !isNative(name));
  if (wasm === undefined || running.length === 1) return [];
  for (const one of running) {
    const difference = differenceOf(wasm, one);
    if (difference !== undefined)
      return [fail('agreement', difference, 'Rebuild both from the same sources: `npm run build:native`.')];
  }
  const names = running.map(({ name }) => name).join(', ');
  return [ok('agreement', `${names} give the same answers`)];
}

/** Reports which arithmetic the settings choose here, and why. */
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

/** Checks which arithmetics of addon and WASM pass their vectors here, whether they agree, and which is used. */
export async function checkBackends(config: Config, context: CommandContext): Promise<CheckResult[]> {
  const {
    engine: { backend },
    profile,
  } = config;
  const trials = await tryBackends(context);
  const natives = trials.filter(({ choice }) => isNative(choice));
  const wasms = trials.filter(({ choice }) => !isNative(choice));
  return [
    checkKind('addon', natives, (problem) => noAddon(problem, backend, profile === 'production')),
    checkKind('wasm', wasms, noWasm),
    ...checkAgreement(trials),
    await checkChoice(config, context),
  ];
}
