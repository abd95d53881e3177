/** The interfaces that take keys, proofs and public signals of any form, behind one shape for tests. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isBytes } from '../../../src/bytes.ts';
import { decodeText } from '../../../src/json.ts';
import * as node from '../../../src/library/index.ts';
import { groth16, type SnarkjsProof, terminate } from '../../../src/library/snarkjs.ts';
import * as web from '../../../src/library/web.ts';
import { type AdminClient, startAdmin } from '../../admin/support/admin-client.ts';
import { type CliFolder, makeCliFolder } from '../../cli/support/cli.ts';
import { wasmFile } from '../../library/support/statements.ts';
import { hexOf } from './bytes.ts';
import { KEY } from './statement.ts';

/** What an interface says of a proof. */
export interface Said {
  /** `valid`, or the code of the refusal. `false` if there is no code. */
  readonly verdict: string;
  readonly form?: string;
  readonly message?: string;
}

/** What an interface says of a key: `added`, or the code of the refusal. */
export interface SaidOfKey extends Said {
  /** Id under which the interface knows the key now. */
  readonly keyId: string;
}

/** An interface. */
export interface Interface {
  readonly name: string;
  /** Whether an answer names the form: `proofgate/snarkjs` answers true or false. */
  readonly namesForm: boolean;
  /** Adds a key. */
  addKey(key: unknown, depth?: number): Promise<SaidOfKey>;
  /** Checks a proof under a key that was added, or without one under `KEY`. */
  verify(proof: unknown, signals: unknown, keyId?: string): Promise<Said>;
  close(): Promise<void>;
}

let keys = 0;

/** Id of `KEY` in each interface. */
const KNOWN = 'known';

type Thrown = { readonly code?: string; readonly message: string };

function thrown(error: unknown): Said {
  const { code, message } = error as Thrown;
  if (code === undefined) throw error;
  return { verdict: code, message };
}

type AnyEngine = Pick<node.Engine, 'addKey' | 'verify' | 'verifyMany' | 'close'>;

function ofVerdict(verdict: node.Verdict | undefined): Said {
  if (verdict === undefined) throw new Error('expected a verdict');
  const { valid, code, message, form } = verdict;
  return {
    verdict: valid ? 'valid' : code,
    ...(form === undefined ? {} : { form }),
    ...(message === undefined ? {} : { message }),
  };
}

function ofEngine(name: string, engine: AnyEngine, isMany: boolean): Interface {
  return {
    name,
    namesForm: true,
    async addKey(key, depth) {
      const keyId = `key-${keys++}`;
      try {
        const { form } = await engine.addKey(keyId, key as Uint8Array, { depth });
        return { verdict: 'added', form, keyId };
      } catch (error) {
        return { ...thrown(error), keyId };
      }
    },
    async verify(proof, publicSignals, keyId = KNOWN) {
      const statement = { proof, publicSignals } as node.Statement;
      try {
        if (isMany) return ofVerdict((await engine.verifyMany(keyId, [statement]))[0]);
        return ofVerdict(await engine.verify(keyId, statement.proof, statement.publicSignals));
      } catch (error) {
        return thrown(error);
      }
    },
    close: () => engine.close(),
  };
}

/** `groth16.verify` takes the key with each proof. */
function ofSnarkjs(): Interface {
  const added = new Map<string, unknown>([[KNOWN, KEY]]);
  const check = async (key: unknown, signals: unknown, proof: unknown): Promise<Said> => {
    try {
      const isValid = await groth16.verify(key, signals as string[], proof as SnarkjsProof);
      return { verdict: isValid ? 'valid' : 'false' };
    } catch (error) {
      return thrown(error);
    }
  };
  return {
    name: 'proofgate/snarkjs',
    namesForm: false,
    async addKey(key) {
      const keyId = `key-${keys++}`;
      added.set(keyId, key);
      // What it says of a key it says of the first proof.
      const { verdict, ...said } = await check(key, [], {});
      return verdict.startsWith('key.') ? { verdict, ...said, keyId } : { verdict: 'added', keyId };
    },
    verify: (proof, signals, keyId = KNOWN) => check(added.get(keyId), signals, proof),
    close: () => terminate(),
  };
}

/** A value as JSON can say it: bytes of text as the text, others in hex. */
function asJson(value: unknown): unknown {
  if (!isBytes(value)) return value;
  const text = decodeText(value);
  return text !== undefined && /^\s*["[{]/.test(text) ? text : hexOf(value);
}

/** JSON, with bigints as text. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    return isBytes(member) ? hexOf(member) : member;
  });
}

function ofHttp(admin: AdminClient): Interface {
  return {
    name: 'HTTP',
    namesForm: true,
    async addKey(key, depth) {
      const keyId = `key-${keys++}`;
      const body = jsonOf({ id: keyId, key: asJson(key), depth });
      const reply = await admin.call('POST /vkeys', { body });
      const { code, detail, form } = reply.body as unknown as Record<string, string | undefined>;
      if (reply.status === 201) return { verdict: 'added', ...(form === undefined ? {} : { form }), keyId };
      return { verdict: code ?? '', message: detail ?? '', keyId };
    },
    async verify(proof, signals, keyId = KNOWN) {
      const answer = await fetch(`${admin.app.publicUrl}/api/v1/groth16/${keyId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: jsonOf({ proof: asJson(proof), publicSignals: asJson(signals) }),
      });
      const body = (await answer.json()) as Record<string, string | boolean | undefined>;
      // Signals that are no list are no request.
      if (body.code === 'validation_error') return { verdict: 'input.form', message: String(body.detail) };
      return {
        verdict: body.valid === true ? 'valid' : String(body.code),
        ...(body.form === undefined ? {} : { form: String(body.form) }),
        ...(body.message === undefined ? {} : { message: String(body.message) }),
      };
    },
    async close() {
      await admin.app.stop();
    },
  };
}

/** A value as a file has it. */
function asFile(value: unknown): Uint8Array | string {
  return isBytes(value) || typeof value === 'string' ? value : jsonOf(value);
}

// A thread takes longer to start than a proof to check.
const NO_THREADS = { env: { PROOFGATE_ENGINE_WORKERS: '0' } };

function ofCommands(folder: CliFolder): Interface {
  const files = new Map<string, { readonly path: string; readonly depth: number | undefined }>();
  const put = async (name: string, value: unknown): Promise<string> => {
    const path = join(folder.path, name);
    await writeFile(path, asFile(value));
    return path;
  };
  const keyArguments = async (keyId: string): Promise<string[]> => {
    const known = files.get(keyId);
    if (known === undefined) files.set(keyId, { path: await put(`${keyId}.json`, KEY), depth: undefined });
    const { path, depth } = files.get(keyId) ?? { path: '', depth: undefined };
    return ['--key-file', path, ...(depth === undefined ? [] : ['--depth', String(depth)])];
  };
  return {
    name: 'commands',
    namesForm: true,
    async addKey(key, depth) {
      const keyId = `key-${keys++}`;
      const path = await put(keyId, key);
      files.set(keyId, { path, depth });
      const options = ['--id', keyId, ...(depth === undefined ? [] : ['--depth', String(depth)])];
      const { code, stdout, stderr } = await folder.run(
        ['vkey', 'import', path, ...options, '--json'],
        NO_THREADS,
      );
      if (code === 0) return { verdict: 'added', form: (JSON.parse(stdout) as { form: string }).form, keyId };
      return { ...refusalIn(stderr), keyId };
    },
    async verify(proof, signals, keyId = KNOWN) {
      const paths = [
        await put('proof', proof),
        ...(signals === undefined ? [] : [await put('public', signals)]),
      ];
      const line = ['proof', 'verify', ...(await keyArguments(keyId)), ...paths, '--json'];
      const { stdout, stderr } = await folder.run(line, NO_THREADS);
      if (stdout === '') return refusalIn(stderr);
      const { verdict, form, message } = JSON.parse(stdout) as Said;
      return {
        verdict: verdict === 'false' ? 'proof.false' : verdict,
        ...(form === undefined ? {} : { form }),
        ...(message === undefined ? {} : { message }),
      };
    },
    close: () => folder.remove(),
  };
}

function refusalIn(stderr: string): Said {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
  const { error } = JSON.parse(lines.at(-1) ?? `{"error":{"code":${JSON.stringify(stderr)}}}`) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  return { verdict: error.code, message: error.message };
}

/** Starts every interface, each with `KEY`. */
export async function startInterfaces(): Promise<Interface[]> {
  const engine = await node.createEngine({ workers: 1 });
  const module = new Uint8Array(readFileSync(wasmFile('simd')));
  const webEngine = await web.createEngine({ module });
  for (const one of [engine, webEngine]) await one.addKey(KNOWN, KEY);
  const admin = await startAdmin();
  await admin.call('POST /vkeys', { body: { id: KNOWN, key: KEY } });
  return [
    ofEngine('engine.verify', engine, false),
    ofEngine('engine.verifyMany', engine, true),
    ofEngine('proofgate/web', webEngine, false),
    ofSnarkjs(),
    ofHttp(admin),
    ofCommands(await makeCliFolder()),
  ];
}
