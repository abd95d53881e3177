import { startOidcProvider } from '../contenders/node-oidc-provider.ts';
import { startProofgate } from '../contenders/proofgate-signin.ts';
import { type SigninContender, TTL_SECONDS } from '../contenders/signin-contender.ts';
import { median } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type Child, startChild } from '../support/child.ts';
import type { LoadPlan } from './plan.ts';
import { cpuTime } from './processes/process-cpu.ts';
import { inRounds } from './rounds.ts';
import { assertRight, QUESTION_CODES } from './signin/signin-answers.ts';
import type { SigninClientProcess, SigninFigures } from './signin/signin-client.ts';

/** Subject of a case: an endpoint, or the sign-in from the authorization request to the user information. */
type Part = 'token' | 'userinfo' | 'flow';

type Client = Child<SigninClientProcess>;

/** Figures of one run with the processor time of the server in cores. */
interface MeasuredFigures extends SigninFigures {
  readonly serverCores: number;
  readonly serverMainCores: number;
}

/** One case while it is measured. */
interface LoadCase {
  readonly contender: SigninContender;
  readonly part: Part;
  readonly connections: number;
  readonly kept: MeasuredFigures[];
}

const USERINFO_TOKENS = 64;
// A surplus code costs a commit; a missing code costs the last windows of a run.
const CODE_RESERVE = 1.5;
/** Runs of a case until a window is full. */
const MOST_ATTEMPTS = 4;

/** Runs one case once; codes and tokens are made before the clock starts. */
function runner(
  client: Client,
  say: SuiteContext['say'],
): (loadCase: LoadCase, plan: LoadPlan) => Promise<void> {
  const codesPerSecond = new Map<string, number>();
  const tokens = new Map<string, readonly string[]>();

  async function prepare({ contender, part, connections }: LoadCase, plan: LoadPlan): Promise<string[]> {
    if (part !== 'token') return [];
    const seconds = (plan.warmUpMs + plan.windowMs * plan.windows) / 1000;
    const rate = codesPerSecond.get(contender.name) ?? 500;
    return await contender.codes(Math.ceil(rate * CODE_RESERVE * seconds) + connections);
  }

  async function tokensOf({ name, endpoints, codes }: SigninContender): Promise<readonly string[]> {
    const made =
      tokens.get(name) ?? (await client.call('exchange', { endpoints, codes: await codes(USERINFO_TOKENS) }));
    tokens.set(name, made);
    return made;
  }

  const run = async (loadCase: LoadCase, plan: LoadPlan, attempts = MOST_ATTEMPTS): Promise<void> => {
    const { contender, part, connections, kept } = loadCase;
    const load = { endpoints: contender.endpoints, connections, plan };
    const codes = await prepare(loadCase, plan);
    const bearer = part === 'userinfo' ? await tokensOf(contender) : [];
    const [before, began] = [cpuTime(contender.pid), performance.now()];
    const figures = await {
      token: () => client.call('runToken', { ...load, codes }),
      userinfo: () => client.call('runUserinfo', { ...load, tokens: bearer }),
      flow: () => client.call('runFlow', load),
    }[part]();
    const [after, elapsed] = [cpuTime(contender.pid), (performance.now() - began) / 1000];
    if (part === 'token') {
      // The median latency gives the rate even if the codes ran out before a window was full.
      const rate = Math.max((1000 * connections) / figures.p50Ms || 0, ...figures.rates);
      codesPerSecond.set(contender.name, Math.max(rate, codesPerSecond.get(contender.name) ?? 0));
    }
    // The codes of a slower moment were used up within the first window.
    if (figures.isExhausted && figures.rates.length === 0 && attempts > 1) {
      return run(loadCase, plan, attempts - 1);
    }
    if (figures.isExhausted && plan.windows > 1)
      say('the prepared codes ran out; the last windows are left out');
    kept.push({
      ...figures,
      serverCores: (after.all - before.all) / elapsed,
      serverMainCores: (after.main - before.main) / elapsed,
    });
  };
  return run;
}

function loadCasesOf(contenders: readonly SigninContender[], connections: readonly number[]): LoadCase[] {
  return (['token', 'userinfo', 'flow'] as const).flatMap((part) =>
    connections.flatMap((count) =>
      contenders
        .filter((contender) => part === 'token' || contender.hasUserinfo)
        .map((contender) => ({ contender, part, connections: count, kept: [] })),
    ),
  );
}

async function measure(
  contenders: readonly SigninContender[],
  client: Client,
  { budget, say }: SuiteContext,
): Promise<Case[]> {
  const run = runner(client, say);
  const loadCases = loadCasesOf(contenders, budget.signinConnections);
  const busiest = Math.max(...budget.signinConnections);
  const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs / 4, windows: 1 };
  for (const loadCase of loadCases) if (loadCase.connections === busiest) await run(loadCase, warmUp);
  for (const loadCase of loadCases) loadCase.kept.length = 0;
  const plan = { ...budget, windows: Math.ceil(budget.windows / 2) };
  const results = await inRounds(
    loadCases.map((loadCase) => async () => {
      await run(loadCase, plan);
      return loadCase.kept.at(-1) as MeasuredFigures;
    }),
    budget.loadRounds,
  );
  return loadCases.map(({ contender, part, connections, kept }, index): Case => {
    const { samples = [], figures = {} } = results[index] ?? {};
    const middle = (pick: (figures: MeasuredFigures) => number): number => median(kept.map(pick));
    const cores = middle((one) => one.serverCores);
    return {
      subject: `signin.${part}`,
      contender: contender.name,
      parameters: { connections, cores: 'all' },
      unit: 'ops_per_s',
      isPeer: contender.isPeer,
      samples,
      figures: {
        ...figures,
        server_cores: cores,
        server_main_thread_cores: middle((one) => one.serverMainCores),
        server_cpu_ms_per_op: (1000 * cores) / median(samples),
        client_cores: middle((one) => one.ownCpuShare),
      },
      note: contender.notes[part],
    };
  });
}

async function stopAll(contenders: readonly SigninContender[]): Promise<void> {
  // Contenders may share a process; a second stop does nothing.
  for (const contender of contenders) await contender.stop();
}

/**
 * Code exchange, user information and the whole sign-in, against node-oidc-provider: each server in its own
 * process, one client program for all.
 */
export const signin: Suite = {
  name: 'sign-in',
  async run(context) {
    const contenders: SigninContender[] = [];
    const client: Client = startChild<SigninClientProcess>(
      new URL('./signin/signin-client.ts', import.meta.url),
    );
    try {
      contenders.push(await startProofgate(context.folder));
      contenders.push(...(await startOidcProvider()));
      for (const contender of contenders) {
        const codes = await contender.codes(QUESTION_CODES);
        assertRight(contender, await client.call('ask', { endpoints: contender.endpoints, codes }));
      }
      context.say(
        `sign-in: tokens live ${TTL_SECONDS.token} s; RS256 with 2048 bits, PKCE, Basic authentication`,
      );
      return await measure(contenders, client, context);
    } finally {
      await client.stop();
      await stopAll(contenders);
    }
  },
};
