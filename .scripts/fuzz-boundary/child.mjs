/** Calls the exports of one module with unusual values for some time. Arguments: subject, seed, seconds, file. */
import { openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { loadSubject } from './subject.mjs';
import { describe, Values } from './values.mjs';
import { World } from './world.mjs';

const [name, seed, seconds, file] = process.argv.slice(2);
const log = openSync(file, 'w');

/** Kinds of the arguments of each export. */
const CALLS = {
  arithmetic: [],
  selectArithmetic: ['arithmetic'],
  prepareKey: ['key'],
  keyFaults: ['key'],
  releaseKey: ['spareKeyHandle'],
  verifyBatch: ['keyHandle', 'batch', 'seed'],
  verifyEach: ['keyHandle', 'batch'],
  g1Multiples: ['elements'],
  g2Multiples: ['elements'],
  poseidon: ['inputs'],
  poseidonMany: ['arity', 'elements'],
  poseidon2: ['width', 'elements'],
  hashBytes: ['tag', 'bytes'],
  createSigningKey: ['bytes32'],
  publicKey: ['signingHandle'],
  sign: ['signingHandle', 'elements'],
  releaseSigningKey: ['spareSigningHandle'],
  verifySignature: ['publicKey', 'message', 'signature'],
};

const subject = loadSubject(name);
const absent = Object.keys(CALLS).filter((call) => typeof subject.functions[call] !== 'function');
const unknown = Object.keys(subject.functions).filter((call) => !(call in CALLS));
if (absent.length + unknown.length > 0)
  throw new Error(`exports differ: ${absent} absent, ${unknown} unknown`);

const world = new World(subject);
const values = new Values(Number(seed), world);
// Another thread overwrites the shared memory that holds some arguments.
const scribbler = new Worker(fileURLToPath(new URL('./scribbler.mjs', import.meta.url)), {
  workerData: values.scribbled.buffer,
});
const counts = { calls: 0, answers: 0, refusals: 0, otherErrors: 0, traps: 0, checks: 0 };
let findings = 0;

function finding(text) {
  findings += 1;
  console.error(`fuzz-boundary: ${name}, seed ${seed}, call ${counts.calls}: ${text}`);
}

const TEXTS = ['arithmetic', 'tag'];
const NUMBERS = ['arity', 'width', 'keyHandle', 'signingHandle', 'spareKeyHandle', 'spareSigningHandle'];

function isOfKind(arg, kind) {
  if (TEXTS.includes(kind)) return typeof arg === 'string';
  return NUMBERS.includes(kind) ? typeof arg === 'number' : arg instanceof Uint8Array;
}

/** Whether the arguments could come from typed code, that is, from Proofgate itself. */
const isTyped = (call, args) => CALLS[call].every((kind, at) => isOfKind(args[at], kind));

function judge(error, call, args) {
  if (/^[a-z_]+\.[a-z_]+: /.test(error?.message ?? '')) {
    counts.refusals += 1;
    return false;
  }
  counts.otherErrors += 1;
  if (error instanceof WebAssembly.RuntimeError) {
    counts.traps += 1;
    if (isTyped(call, args)) finding(`${call}(${args.map(describe).join(', ')}) traps: ${error.message}`);
    return true;
  }
  // napi reports a caught panic with the status of a refusal, but without the code of one.
  if (error?.code === 'GenericFailure')
    finding(`${call}(${args.map(describe).join(', ')}) panics: ${error.message}`);
  return false;
}

async function callOnce() {
  const call = values.pick(Object.keys(CALLS));
  const args = CALLS[call].map((kind) => values.argument(kind));
  if (values.chance(50)) args.length = values.below(args.length + 1);
  if (values.chance(50)) args.push(values.anything());
  const line = `${counts.calls}: ${call}(${args.map(describe).join(', ')})`;
  writeSync(log, `${line.slice(0, 4000)}\0`, 0);
  const before = args.map((arg) => values.snapshot(arg));
  counts.calls += 1;
  let trapped = false;
  try {
    const answer = subject.functions[call](...args);
    counts.answers += 1;
    // The caller owns the result: writing to it must change nothing else.
    if (answer instanceof Uint8Array) answer.fill(0xa5);
    world.learn(call, answer, args);
  } catch (error) {
    trapped = judge(error, call, args);
  }
  for (const [at, check] of before.entries())
    if (!check(call === 'createSigningKey')) finding(`${line} changed argument ${at}`);
  if (trapped) {
    subject.renew();
    world.begin();
  }
}

const end = performance.now() + Number(seconds) * 1000;
world.begin();
while (performance.now() < end && findings < 20) {
  await callOnce();
  if (counts.calls % 64 !== 0) continue;
  counts.checks += 1;
  for (const fault of world.faults(values)) finding(fault);
}
await scribbler.terminate();
console.log(`fuzz-boundary: ${name}: ${JSON.stringify(counts)}, ${findings} findings`);
process.exit(findings === 0 ? 0 : 1);
