import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeUtf8 } from '../../../../src/bytes.ts';
import { hashToField } from '../../../../src/semaphore/hashes.ts';
import { type CliInput, type CliResult, makeEmptyCliFolder, useCliFolder } from '../../support/cli.ts';
import { runProcess } from '../../support/process.ts';

interface RpContext {
  readonly rp_id: string;
  readonly nonce: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly signature: string;
}

const RP_ID = 'rp_1234567890abcdef';
const SIGN = ['rp', 'sign-request', '--rp-id', RP_ID];
/** Key of the published vector. */
const KEY = 'ab'.repeat(32);
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const BELOW_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140';
const VARIABLE = 'PROOFGATE_RP_SIGNING_KEY';
const NONCE = '0x008ae1aa597fa146ebd3aa2ceddf360668dea5e526567e92b0321816a4e895bd';
/** Without an action, of `test-action`: go/idkit/signing_test.go of IDKit. */
const SESSION_SIGNATURE =
  '0x14f693175773aed912852a601e9c0fd30f2afe2738d31388316232ce6f64ae9e4edbfb19d81c4229ba9c9fca78ede4b28956b7ba4415f08d957cbc1b3bdaa4021b';
const ACTION_SIGNATURE =
  '0x05594adb6c1495768a38d523d7d6ee6356b2c31231919198794ed022ade7d08f73753f83bd167067d99c9b969d28e9222315837c66af25867b041273a6d5056f1b';

// no test has a store: none is needed
const folder = useCliFolder({ make: makeEmptyCliFolder });

/** Fixes the clock and the random bytes of the vector until the test ends. */
function fixVector(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
  const random = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array;
    bytes.set(bytes.map((_, index) => index));
    return array;
  });
  onTestFinished(() => {
    vi.useRealTimers();
    random.mockRestore();
  });
}

const signWith = (key: string, ...more: readonly string[]): Promise<CliResult> =>
  folder.run([...SIGN, ...more], { env: { [VARIABLE]: key } });

async function keyFile(content: string, mode: number): Promise<string> {
  const path = join(folder.path, 'rp.key');
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

function contextOf(result: CliResult): RpContext {
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(result.stdout) as RpContext;
}

function addressOf(publicKey: Uint8Array): string {
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return Buffer.from(keccak_256(point.slice(1)).slice(12)).toString('hex');
}

/** Returns the address that signed a request: that of EIP-191 over version, nonce, times and action. */
function signerOf({ nonce, created_at, expires_at, signature }: RpContext, action?: string): string {
  const times = Buffer.alloc(16);
  times.writeBigUInt64BE(BigInt(created_at), 0);
  times.writeBigUInt64BE(BigInt(expires_at), 8);
  const field = action === undefined ? new Uint8Array() : hashToField(encodeUtf8(action));
  const message = Buffer.concat([Buffer.of(1), Buffer.from(nonce.slice(2), 'hex'), times, field]);
  const prefix = encodeUtf8(`\x19Ethereum Signed Message:\n${message.length}`);
  const bytes = Buffer.from(signature.slice(2), 'hex');
  expect(bytes.length).toBe(65);
  const recovered = Buffer.of((bytes[64] ?? 0) - 27, ...bytes.subarray(0, 64));
  const digest = keccak_256(Buffer.concat([prefix, message]));
  return addressOf(secp256k1.recoverPublicKey(recovered, digest, { prehash: false }));
}

const ADDRESS = addressOf(secp256k1.getPublicKey(Buffer.from(KEY, 'hex')));

describe('proofgate rp sign-request, the signature', () => {
  it.each([
    ['a session request', [], SESSION_SIGNATURE],
    ['an action', ['--action', 'test-action'], ACTION_SIGNATURE],
  ])('is that of the published vector for %s', async (_, more, signature) => {
    fixVector();
    const expected: RpContext = {
      rp_id: RP_ID,
      nonce: NONCE,
      created_at: 1_700_000_000,
      expires_at: 1_700_000_300,
      signature,
    };
    const plain = await signWith(KEY, ...more);
    expect(plain).toEqual({ code: 0, stdout: `${JSON.stringify(expected)}\n`, stderr: '' });
    expect(await signWith(KEY, ...more, '--json', '--ttl', '300')).toEqual(plain);
  });

  it.each([
    [undefined, '300'],
    ['', '1'],
    ['vote', '1800'],
    // an action is a text, also when it looks like bytes
    ['0x766f7465', '300'],
  ])('is by the key, with a fresh nonce: action %j, for %s s', async (action, ttl) => {
    const more = ['--ttl', ttl, ...(action === undefined ? [] : ['--action', action])];
    const before = Math.floor(Date.now() / 1000);
    const [one, other] = [contextOf(await signWith(KEY, ...more)), contextOf(await signWith(KEY, ...more))];
    for (const made of [one, other]) {
      expect(signerOf(made, action)).toBe(ADDRESS);
      expect(made.expires_at - made.created_at).toBe(Number(ttl));
      expect(made.created_at).toBeGreaterThanOrEqual(before);
    }
    expect(one.nonce).not.toBe(other.nonce);
    expect(signerOf(one, action === undefined ? '' : undefined)).not.toBe(ADDRESS);
  });

  it('is made by the bundled program, too', async () => {
    const env = { PROOFGATE_DATA_DIR: folder.path, [VARIABLE]: KEY };
    const result = await runProcess([...SIGN, '--action', 'vote'], env);
    expect(signerOf(contextOf(result), 'vote')).toBe(ADDRESS);
  });
});

describe('proofgate rp sign-request, the key', () => {
  it.each([
    ['a file', KEY],
    ['a file with 0x and a line end', `0x${KEY.toUpperCase()}\n`],
  ])('is read from %s', async (_, content) => {
    const path = await keyFile(content, 0o600);
    for (const [more, input] of [
      [['--key-file', path], {}],
      [[], { env: { [`${VARIABLE}_FILE`]: path } }],
      [['--key-file', '-'], { stdin: content }],
      [[], { env: { [VARIABLE]: content.trim() } }],
    ] as const satisfies readonly (readonly [readonly string[], CliInput])[]) {
      expect(signerOf(contextOf(await folder.run([...SIGN, ...more], input)))).toBe(ADDRESS);
    }
  });

  it('may be the largest below the order', async () => {
    expect((await signWith(BELOW_ORDER)).code).toBe(0);
  });

  it.each([
    ['31 bytes', KEY.slice(2)],
    ['33 bytes', `${KEY}ab`],
    ['other characters', `${KEY.slice(0, 62)}zz`],
    ['0X', `0X${KEY}`],
    ['two lines', `${KEY}\n${KEY}`],
    ['zero', '0'.repeat(64)],
    ['the order', ORDER],
    ['more than the order', 'f'.repeat(64)],
  ])('is refused if it is %s, and not shown', async (_, key) => {
    const path = await keyFile(key, 0o600);
    for (const [more, input] of [
      [['--key-file', path], {}],
      [['--key-file', '-', '--json'], { stdin: key }],
      [[], { env: { [VARIABLE]: key } }],
      [['--json'], { env: { [`${VARIABLE}_FILE`]: path } }],
    ] as const satisfies readonly (readonly [readonly string[], CliInput])[]) {
      const { code, stdout, stderr } = await folder.run([...SIGN, ...more], input);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('rp.unusable_key');
      expect(stderr).not.toContain(key.slice(0, 16));
    }
  });

  it('is refused in a file that other users can read, in development, too', async () => {
    const path = await keyFile(KEY, 0o604);
    await folder.fails([...SIGN, '--key-file', path], 1, `rp.unusable_key: --key-file: ${path} is readable`);
    const env = { [`${VARIABLE}_FILE`]: path };
    await folder.fails([...SIGN], 1, /rp\.unusable_key: .*_FILE: .* is readable by other users/, { env });
    const config = join(folder.path, 'proofgate.config.json');
    await writeFile(config, JSON.stringify({ rp: { signingKey: KEY } }), { mode: 0o644 });
    const { code, stdout, stderr } = await folder.run([...SIGN, '--config', config]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/rp\.unusable_key: .* holds rp\.signingKey and is readable by other users/);
    expect(stderr).not.toContain(KEY);
  });

  it('is needed, and never an argument', async () => {
    await folder.fails(SIGN, 2, `expected --key-file, ${VARIABLE}_FILE or ${VARIABLE}`);
    await folder.fails([...SIGN, '--key-file', join(folder.path, 'none')], 2, 'cannot be read');
    await folder.fails([...SIGN, '--key-file', '-'], 2, 'larger than', { stdin: 'a'.repeat(5000) });
    await folder.fails([...SIGN, '--rp.signingKey', KEY], 78, 'not accepted on the command line');
  });

  it('is not shown where it is given in place of its file', async () => {
    const { code, stderr } = await folder.run([...SIGN, '--key-file', `0x${KEY}`]);
    expect(code).toBe(2);
    expect(stderr).toContain('expected the name of a file, got a key');
    expect(stderr).not.toContain(KEY);
  });
});

describe('proofgate rp sign-request, options', () => {
  it.each([
    [['--rp-id', 'app_1'], '--rp-id: expected rp_ and 16'],
    [['--rp-id', 'rp_1234567890ABCDEF'], '--rp-id: expected'],
    [['--ttl', '0'], '--ttl: expected 1..1800'],
    [['--ttl', '1801'], '--ttl: expected'],
    [['--ttl', '5m'], '--ttl: expected'],
    [['--ttl', '1e2'], '--ttl: expected'],
    [['--action', 'a\ufffd'], '--action: expected UTF-8 text'],
    [['--action', 'é'.repeat(2049)], '--action: expected UTF-8 text of at most 4096 bytes'],
  ])('are checked: %j', async (more, text) => {
    await folder.fails([...SIGN, ...more], 2, text, { env: { [VARIABLE]: KEY } });
  });
});
