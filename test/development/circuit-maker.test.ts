import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCircuitFiles } from '../../src/development/circuit-files.ts';
import {
  type CircuitEvent,
  type CircuitMaker,
  createCircuitMaker,
} from '../../src/development/circuit-maker.ts';
import { settings } from '../engine/support/describe-engine.ts';
import { RUNS_ALL } from '../support/cases.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { childrenOf, niceOf, raisePriority } from '../support/server/processes.ts';

let dataDir: string;
let events: CircuitEvent[];
let maker: CircuitMaker | undefined;
let waiting: (() => void)[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'proofgate-maker-'));
  events = [];
  waiting = [];
});

afterEach(async () => {
  await maker?.stop();
  maker = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

/** Creates a maker that runs this code as its child process, or the real program. */
function makerOf(code?: string): CircuitMaker {
  let program: string | undefined;
  if (code !== undefined) {
    program = join(dataDir, 'program.mjs');
    writeFileSync(program, code);
  }
  maker = createCircuitMaker({
    dataDir,
    engine: settings(),
    now: Date.now,
    onEvent: (event) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    },
    ...(program === undefined ? {} : { program }),
  });
  return maker;
}

/** Waits for an event with this name. */
async function eventOf(name: CircuitEvent['event']): Promise<CircuitEvent> {
  for (;;) {
    const found = events.find(({ event }) => event === name);
    if (found) return found;
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

const leftOvers = (): string[] =>
  existsSync(join(dataDir, 'circuits')) ? readdirSync(join(dataDir, 'circuits')) : [];
/** Returns a program that reaches a stage and runs until it is stopped. */
const endlessProgram = (what: string): string => `
  process.on('disconnect', () => {});
  setInterval(() => {}, 1000);
  process.once('message', () => process.send({
    kind: 'stage',
    stage: { seconds: 0, nextSeconds: 5, what: ${what} },
    workFolder: ${JSON.stringify(join(tmpdir(), 'proofgate-maker-none'))},
  }));`;

describe('the maker of the development circuit', () => {
  if (RUNS_ALL) {
    it('makes the circuit in a process of the lowest priority, and reports its progress', async () => {
      const subject = makerOf();
      expect(await subject.state()).toEqual({ status: 'missing' });
      await subject.start();
      expect(await subject.state()).toMatchObject({ status: 'making', share: expect.any(Number) });
      await eventOf('circuit.making');
      expect(childrenOf(process.pid, 'setup-process').map(niceOf)).toEqual([19]);
      expect(await subject.state()).toMatchObject({ status: 'making', what: 'compiling the circuit' });
      const names = (): string[] => {
        for (const pid of childrenOf(process.pid, 'setup-process')) raisePriority(pid);
        return events.map(({ event }) => event);
      };
      await expect.poll(names).toContain('circuit.ready');
      expect(await eventOf('circuit.ready')).toEqual({ event: 'circuit.ready', seconds: expect.any(Number) });
      expect(await subject.state()).toEqual({ status: 'ready' });
      expect(await findCircuitFiles(dataDir)).toBeDefined();
      expect(events.map((event) => ('what' in event ? event.what : event.event))).toEqual([
        'compiling the circuit',
        'computing the proving key',
        'writing the proving key',
        'circuit.ready',
      ]);
    });
  }

  it('leaves no files when it is stopped before the end', async () => {
    const subject = makerOf();
    await subject.start();
    await eventOf('circuit.making');
    await subject.stop();
    expect(leftOvers()).toEqual([]);
    expect(await subject.state()).toEqual({ status: 'missing' });
    expect(events.map(({ event }) => event)).toEqual(['circuit.making']);
  });

  it('does nothing when the circuit exists, and notices one that a command made meanwhile', async () => {
    const subject = makerOf(endlessProgram("'thinking'"));
    await subject.start();
    await eventOf('circuit.making');
    expect(await subject.state()).toMatchObject({ status: 'making', what: 'thinking' });
    await fakeCircuit(dataDir);
    expect(await subject.state()).toEqual({ status: 'ready' });
    await subject.stop();
    await subject.start();
    expect(events).toHaveLength(1);
  });

  it('reports why it failed, and tries again when it is started again', async () => {
    const failed = { kind: 'failed', code: 'circuit.tools_missing', reason: 'not installed: circom2' };
    const subject = makerOf(
      `process.once('message', () => process.send(${JSON.stringify(failed)}, () => process.disconnect()));`,
    );
    await subject.start();
    expect(await eventOf('circuit.failed')).toMatchObject({ code: 'circuit.tools_missing' });
    await expect.poll(() => subject.state()).toEqual({ status: 'failed', reason: 'not installed: circom2' });
    await subject.start();
    await expect.poll(() => events.map(({ event }) => event)).toEqual(['circuit.failed', 'circuit.failed']);
  });

  it.each([
    ['is killed', "process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
    ['ends without an answer', 'process.exit(3)', '3'],
    ['does not load', "throw new Error('broken')", '1'],
  ])('reports a failure when the process %s', async (_what, code, reason) => {
    const subject = makerOf(code);
    await subject.start();
    expect(await eventOf('circuit.failed')).toEqual({
      event: 'circuit.failed',
      code: 'circuit.setup_failed',
      reason: `the process that makes it ended with ${reason}`,
    });
    expect(await subject.state()).toMatchObject({ status: 'failed' });
  });

  it('runs the process without an environment, and ends one that does not exit by itself', async () => {
    const subject = makerOf(endlessProgram('JSON.stringify(Object.keys(process.env))'));
    await subject.start();
    expect(await eventOf('circuit.making')).toEqual({
      event: 'circuit.making',
      what: expect.stringMatching(/^\[("NODE_CHANNEL_[A-Z_]+",?)*\]$/),
    });
    await subject.stop();
    expect(await subject.state()).toEqual({ status: 'missing' });
  });
});
