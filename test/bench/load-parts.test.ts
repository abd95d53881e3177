import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnection, readAnswer } from '../../bench/load/http/http-connection.ts';
import { groth16Requests, verifyRequests } from '../../bench/load/http/verify-requests.ts';
import { worldId4Requests } from '../../bench/load/http/worldid4-requests.ts';
import { worldId4Template } from '../../bench/load/http/worldid4-target.ts';
import { paced, paceOf } from '../../bench/load/paced.ts';
import { type cpuTime, secondsOf, timesByRole } from '../../bench/load/processes/process-cpu.ts';
import { inRounds } from '../../bench/load/rounds.ts';
import { interleave } from '../../bench/micro/interleave.ts';
import { compressProof } from '../../bench/support/compress-proof.ts';
import { proofStream } from '../../bench/support/proof-stream.ts';
import { PLAIN_INPUTS } from '../../bench/support/stream-inputs.ts';
import { windowCounter } from '../../bench/support/window-counter.ts';

import { fromBe } from '../support/crypto/bn254.ts';
import { compress } from '../support/crypto/curve-reference.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('stream of proofs', () => {
  it('yields the same proof for a number wherever the stream started, and distinct proofs for distinct numbers', async () => {
    const [a, b] = [await proofStream(PLAIN_INPUTS, 100), await proofStream(PLAIN_INPUTS, 103)];
    const proofs = [a(), a(), a(), a()];
    const again = b();
    expect(hex(again.proof)).toBe(hex(proofs[3]?.proof ?? new Uint8Array()));
    expect(hex(again.nullifier)).toBe(hex(proofs[3]?.nullifier ?? new Uint8Array()));
    expect(new Set(proofs.map((one) => hex(one.proof))).size).toBe(4);
    expect(new Set(proofs.map((one) => hex(one.nullifier))).size).toBe(4);
  });

  it('builds complete requests whose declared length is that of the body', async () => {
    const template = { host: 'localhost', path: '/x', action: 'a', inputs: PLAIN_INPUTS };
    const [request] = await verifyRequests(template, 1, 3, 0);
    const text = Buffer.from(request ?? []).toString();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
    const responses = (JSON.parse(body) as { responses: { proof: string; nullifier: string }[] }).responses;
    expect(responses).toHaveLength(3);
    expect(responses[0]?.proof).toMatch(/^0x[0-9a-f]{512}$/);
    expect(new Set(responses.map((item) => item.nullifier)).size).toBe(3);
  });

  it.each([1, 3])('builds complete requests of %i proofs of any circuit', async (proofs) => {
    const template = { kind: 'groth16', host: 'localhost', path: '/x', inputs: PLAIN_INPUTS } as const;
    const [request] = await groth16Requests(template, 1, proofs, 0);
    const [head = '', body = ''] = Buffer.from(request ?? [])
      .toString()
      .split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
    const sent = JSON.parse(body) as { proofs?: object[] };
    const members = proofs === 1 ? [sent] : sent.proofs;
    expect(members).toHaveLength(proofs);
    for (const member of members ?? []) {
      expect(member).toEqual({
        proof: expect.stringMatching(/^0x[0-9a-f]{512}$/),
        publicSignals: Array(4).fill(expect.stringMatching(/^0x[0-9a-f]{64}$/)),
      });
    }
  });

  it('is compressed as the plain reference does it', async () => {
    const next = await proofStream(PLAIN_INPUTS, 0);
    for (let count = 0; count < 8; count++) {
      const { proof } = next();
      const words = Array.from({ length: 8 }, (_, index) =>
        fromBe(proof.subarray(32 * index, 32 * index + 32)),
      );
      expect(compressProof(proof).map(fromBe)).toEqual(compress(words));
    }
  });

  it('builds World ID 4.0 requests with five words a proof, the last of which is the root', async () => {
    const template = worldId4Template();
    const [request] = await worldId4Requests(template, 1, 3, 0);
    const [head = '', body = ''] = Buffer.from(request ?? [])
      .toString()
      .split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
    const { responses } = JSON.parse(body) as { responses: { proof: string[]; nullifier: string }[] };
    expect(responses.map(({ proof }) => [proof.length, BigInt(proof[4] as string)])).toEqual(
      [1, 2, 3].map(() => [5, template.root]),
    );
    expect(new Set(responses.map(({ proof }) => proof[0])).size).toBe(3);
    expect(new Set(responses.map(({ nullifier }) => nullifier)).size).toBe(1);
  });
});

describe('load client', () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

  it('reads an answer only once it is complete, and leaves the bytes after it', () => {
    for (let cut = 0; cut < answer.length; cut++)
      expect(readAnswer(Buffer.from(answer.slice(0, cut)))).toBeUndefined();
    expect(readAnswer(Buffer.from(`${answer}HTTP`))).toEqual({
      answer: { status: 200, head: 'HTTP/1.1 200 OK\r\nContent-Length: 2', body: 'hi' },
      length: answer.length,
    });
    expect(() => readAnswer(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow(/Content-Length/);
  });

  it('sends requests one after another on a connection, and fails when the server closes it', async () => {
    let served = 0;
    const server = createServer((socket) => {
      socket.on('data', () => {
        served += 1;
        if (served > 2) return void socket.destroy();
        socket.write(answer.slice(0, 30));
        setImmediate(() => socket.write(answer.slice(30)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const connection = await openConnection('127.0.0.1', port);
    expect(await connection.send(Buffer.from('a'))).toMatchObject({ status: 200, body: 'hi' });
    expect(await connection.send(Buffer.from('b'))).toMatchObject({ status: 200, body: 'hi' });
    await expect(connection.send(Buffer.from('c'))).rejects.toThrow();
    server.close();
  });
});

describe('measuring', () => {
  it('counts a window from the last end before it to the last end within it', () => {
    const counter = windowCounter(1000, 100, 3);
    for (const ended of [950, 1000, 1050, 1095, 1190, 1290, 1310]) counter.add(ended - 10, ended);
    const { rates, ...rest } = counter.figures();
    expect(rates.map(Math.round)).toEqual([21, 11, 10]);
    expect(rest).toEqual({ p50Ms: 10, p99Ms: 10, completed: 5 });
  });

  it('measures the true rate when batches end together and rarely', () => {
    const counter = windowCounter(0, 250, 4);
    for (let ended = 80; ended < 1100; ended += 160) for (let i = 0; i < 64; i++) counter.add(0, ended);
    expect(counter.figures().rates.slice(1)).toEqual([400, 400, 400]);
  });

  it('omits windows that the loop did not reach', () => {
    const counter = windowCounter(0, 100, 10);
    for (const ended of [10, 90, 190]) counter.add(ended - 1, ended);
    expect(counter.figures().rates).toHaveLength(2);
  });

  it('rotates which run starts a round', async () => {
    const order: string[] = [];
    const run = (name: string) => async () => {
      order.push(name);
      return { rates: [1], p50Ms: 1, p99Ms: 2, completed: 1 };
    };
    const results = await inRounds([run('a'), run('b'), run('c')], 3);
    expect(order.join('')).toBe('abcbcacab');
    expect(results[0]).toEqual({ samples: [1, 1, 1], figures: { p50_ms: 1, p99_ms: 2 } });
  });

  it('times contestants in every round and sets shared state before each sample', async () => {
    let state = '';
    const seen = new Set<string>();
    const contestant = (name: string) => ({
      name,
      operations: 2,
      before: () => {
        state = name;
      },
      run: () => void seen.add(`${name}:${state}`),
    });
    const samples = await interleave([contestant('x'), contestant('y')], { rounds: 2, sliceMs: 1 });
    expect([...seen].sort()).toEqual(['x:x', 'y:y']);
    for (const list of samples) {
      expect(list.length).toBeGreaterThanOrEqual(2);
      expect(list.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
    }
  });

  it('rethrows what a contestant throws', async () => {
    let calls = 0;
    const failing = {
      name: 'failing',
      operations: 1,
      run: () => {
        if (++calls > 300) throw new Error('wrong answer');
      },
    };
    await expect(interleave([failing], { rounds: 1, sliceMs: 50 })).rejects.toThrow('wrong answer');
  });

  it('uses the times of a contestant that measures itself', async () => {
    const calls: number[] = [];
    const measured = {
      name: 'elsewhere',
      operations: 2,
      run: () => {
        throw new Error('not here');
      },
      measure: async (count: number) => {
        calls.push(count);
        return 4 * count;
      },
    };
    const [samples] = await interleave([measured], { rounds: 2, sliceMs: 1 });
    expect(calls.length).toBeGreaterThan(2);
    expect(new Set(samples)).toEqual(new Set([2000]));
  });

  it('reads processor time in nanoseconds', () => {
    expect(secondsOf('2500000000 17 3\n')).toBe(2.5);
  });

  it('divides the processor time of a process by the roles of its threads', () => {
    const reading = (...seconds: readonly [number, number, number, number]): ReturnType<typeof cpuTime> => ({
      ...{ main: 0, workers: 0, all: 0 },
      threads: new Map(seconds.map((each, index) => [index + 1, each])),
    });
    const roles = new Map([
      [2, 'worker'],
      [3, 'worker'],
    ] as const);
    const times = timesByRole(1, roles, [reading(1, 2, 3, 4), reading(2, 3, 5, 4.5)]);
    expect([...times]).toEqual([
      ['main', [1]],
      ['worker', [2, 1]],
      ['runtime', [0.5]],
    ]);
  });

  it('names the threads of a server, also those that threads start without arguments or variables', () => {
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-threads-'));
    try {
      const file = join(folder, 'threads.txt');
      const program = join(folder, 'program.mjs');
      const own = `import { readlinkSync } from 'node:fs';
        import { parentPort, Worker } from 'node:worker_threads';
        const tid = readlinkSync('/proc/thread-self').split('/').at(-1);`;
      writeFileSync(join(folder, 'inner.mjs'), `${own} parentPort.postMessage([tid]);`);
      writeFileSync(
        join(folder, 'outer.mjs'),
        `${own} new Worker(new URL('./inner.mjs', import.meta.url), { env: {}, execArgv: [] })
          .once('message', (tids) => parentPort.postMessage([tid, ...tids]));`,
      );
      writeFileSync(
        program,
        `${own} new Worker(new URL('./outer.mjs', import.meta.url))
          .once('message', (tids) => process.stdout.write(tids.join()));`,
      );
      const hook = new URL('../../bench/load/processes/name-threads.mjs', import.meta.url).href;
      const { stdout } = spawnSync(process.execPath, ['--import', hook, program], {
        env: { ...process.env, BENCH_THREADS: file },
        encoding: 'utf8',
      });
      const [outer, inner] = stdout.split(',');
      expect(readFileSync(file, 'utf8')).toMatch(
        new RegExp(`^${outer} .*outer\\.mjs\\n${inner} .*inner\\.mjs\\n$`),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('steady load', () => {
  it('starts every operation once, in order, and waits for all', async () => {
    const [started, ended]: [number[], number[]] = [[], []];
    const pace = paceOf(1000, 5, 15);
    expect(pace.count).toBe(20);
    await paced(pace, async (index) => {
      started.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(index);
    });
    expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(ended).toHaveLength(20);
  });

  it('makes invalid requests that differ only in the nullifier', async () => {
    const template = { host: 'localhost', path: '/x', action: 'a', inputs: PLAIN_INPUTS };
    const read = async (isFalse: boolean): Promise<Record<string, string>> => {
      const [request] = await verifyRequests(template, 1, 1, 3, isFalse);
      const [, body = ''] = Buffer.from(request ?? [])
        .toString()
        .split('\r\n\r\n');
      return (JSON.parse(body) as { responses: Record<string, string>[] }).responses[0] ?? {};
    };
    const [good, bad] = [await read(false), await read(true)];
    expect({ ...bad, nullifier: '' }).toEqual({ ...good, nullifier: '' });
    expect(BigInt(bad.nullifier as string) ^ BigInt(good.nullifier as string)).toBe(1n);
  });
});
