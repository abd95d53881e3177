import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cpuFlags } from '../report/machine.ts';
import { root } from '../support/paths.ts';
import type { LoadContender } from './contender.ts';
import { startLineProgram } from './line-program.ts';
import type { Answer, ProofMember } from './proof-set.ts';

/** A peer in another language: a program of this folder that its own toolchain builds. */
interface Program {
  readonly name: string;
  readonly scope: string;
  /** Build command, run in `folder`; fast if nothing has changed. */
  readonly build: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly file: string;
}

const at = (...parts: string[]): string => join(root, 'bench', 'contenders', ...parts);
const GNARK_FILE = join(root, '.cache', 'bench-gnark');

const hasAdx = ['adx', 'bmi2'].every((flag) => cpuFlags().includes(flag));

const PROGRAMS: readonly Program[] = [
  {
    name: 'arkworks',
    scope: `all checks, prepared key, from bytes; ark-groth16${hasAdx ? ', its assembly on' : ''}`,
    build: ['cargo', 'build', '--release', '--locked', '--quiet'],
    // Its assembly is compiled only if the target has these instructions; -C target-cpu=native is 2 % slower.
    environment: hasAdx ? { RUSTFLAGS: '-C target-feature=+adx,+bmi2' } : {},
    folder: at('arkworks'),
    file: at('arkworks', 'target', 'release', 'proofgate-bench-arkworks'),
  },
  {
    name: 'gnark',
    scope: 'all checks, prepared key, from bytes; gnark-crypto, the fastest of its pairing products',
    build: ['go', 'build', '-o', GNARK_FILE, '.'],
    environment: {},
    folder: at('gnark'),
    file: GNARK_FILE,
  },
];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ANSWERS: Readonly<Record<string, Answer>> = { '1': true, '0': false, '-': 'refused' };

/** Builds a program; returns why it could not be built, in one line, or undefined. */
function buildProblem({ build, folder, environment }: Program): string | undefined {
  const [command, ...args] = build as [string, ...string[]];
  const made = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (made.error) return `${command} is not installed`;
  if (made.status === 0) return undefined;
  return `${command} ${args[0]} failed: ${made.stderr.trim().split('\n').at(-1) ?? made.status}`;
}

function load(program: Program): LoadContender {
  return async (set) => {
    const { name, scope, file } = program;
    const reason = buildProblem(program);
    if (reason !== undefined) return { name, reason };
    const running = startLineProgram(file);
    await running.ask(`key ${hex(set.key)}`);
    const verifier = ({ proof, inputs }: ProofMember): (() => Promise<Answer>) => {
      const line = `proof ${hex(proof)}${hex(inputs)}`;
      return async () => {
        const text = await running.ask(line);
        const answer = ANSWERS[text];
        if (answer === undefined) throw new Error(`${name} answers "${text}"`);
        return answer;
      };
    };
    return {
      name,
      isPeer: true,
      scope,
      distinguishesRefusals: true,
      prepare: (members) => members.map(verifier),
      measure: async (calls) => Number(await running.ask(`time ${calls}`)) / 1e6,
      close: () => running.stop(),
    };
  };
}

/** arkworks and gnark-crypto, with one line protocol (described in `contenders/arkworks/src/main.rs`). */
export const loadPrograms: readonly LoadContender[] = PROGRAMS.map(load);
