import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { credentialJson } from '../../../src/credential/credential.ts';
import { convertProof } from '../../../src/groth16/convert.ts';
import { type CredentialRow, fieldsOf, VECTORS } from '../../credential/support.ts';
import { bytes } from '../../engine/support/vectors.ts';
import { linearCase } from '../../groth16/support/linear.ts';
import { ENCODINGS } from '../../support/encodings.ts';
import { type CliResult, useCliFolder } from '../support/cli.ts';
import { enrolmentLine } from '../support/enrolment-lines.ts';
import { orbPem } from '../support/orb-pem.ts';

const folder = useCliFolder({ isShared: true });
const { key, proof, publicSignals } = linearCase(3);
const APP = 'app_369183bd38f1641b6964ab51d7a20434';
// the generator of spec/credential.md#babyjubjub
const POINT = {
  x: '5299619240641551281634865583518297030282874472190772894086521144482721001553',
  y: '16950150798460657717958625567821834550301663161624707787222815936182638968203',
};
const SAMPLE = VECTORS.credentials.at(-1) as Required<CredentialRow>;
const CREDENTIAL = credentialJson(fieldsOf(SAMPLE), bytes(SAMPLE.signature), SAMPLE.public_key);

interface Row {
  readonly text: string;
  readonly argv: (file: string) => readonly string[];
  /** What a run with UTF-8 prints. */
  readonly prints: RegExp;
}

const at = (name: string): string => join(folder.path, name);
const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** The commands that read a file of text. */
const ROWS: Readonly<Record<string, Row>> = {
  'roots import': {
    text: line({ environment: 'production', tree: 'orb', root: '0x6' }),
    argv: (file) => ['roots', 'import', file, '--quiet'],
    prints: /imported 1 root\n/,
  },
  'issuers import': {
    text: line({ environment: 'staging', issuer_schema_id: '1', ...POINT }),
    argv: (file) => ['issuers', 'import', file, '--quiet'],
    prints: /imported 1 /,
  },
  'oprf-keys import': {
    text: line({ environment: 'staging', rp_id: 'rp_0123456789abcdef', ...POINT }),
    argv: (file) => ['oprf-keys', 'import', file, '--quiet'],
    prints: /imported 1 /,
  },
  'signups import': {
    text: `${enrolmentLine(7)}\n${enrolmentLine(8)}\n`,
    argv: (file) => ['signups', 'import', file, '--quiet'],
    prints: /unchanged 2, refused 0/,
  },
  'orb-keys import': {
    text: line({ orb_id: '0c1d2e3f', keys: [orbPem(1).pem] }),
    argv: (file) => ['orb-keys', 'import', file, '--quiet'],
    prints: /refused 0/,
  },
  'vkey import': {
    text: JSON.stringify(key),
    argv: (file) => ['vkey', 'import', file, '--id', 'own'],
    prints: /imported own, 3 inputs, form snarkjs, /,
  },
  'proof verify of JSON Lines': {
    text: line({ proof, publicSignals }).repeat(2),
    argv: (file) => ['proof', 'verify', file, '--key-file', at('key.json')],
    prints: /^valid\nvalid\n$/,
  },
  'proof verify of an array': {
    text: JSON.stringify([{ proof, publicSignals }], null, 1),
    argv: (file) => ['proof', 'verify', file, '--key-file', at('key.json')],
    prints: /^valid\n$/,
  },
  'proof verify, key': {
    text: JSON.stringify(key),
    argv: (file) => ['proof', 'verify', '--key-file', file, at('proof.json'), at('public.json')],
    prints: /^valid\n$/,
  },
  'proof verify, proof': {
    text: JSON.stringify(proof, null, 1),
    argv: (file) => ['proof', 'verify', '--key-file', at('key.json'), file, at('public.json')],
    prints: /^valid\n$/,
  },
  'proof verify, calldata': {
    text: convertProof(proof, 'solidity'),
    argv: (file) => ['proof', 'verify', '--key-file', at('key.json'), file, at('public.json')],
    prints: /^valid\n$/,
  },
  'proof verify, hex digits': {
    text: `0x${Buffer.from(convertProof(proof, 'bytes')).toString('hex')}\r\n`,
    argv: (file) => ['proof', 'verify', '--key-file', at('key.json'), file, at('public.json')],
    prints: /^valid\n$/,
  },
  'proof verify, public signals': {
    text: JSON.stringify(publicSignals),
    argv: (file) => ['proof', 'verify', '--key-file', at('key.json'), at('proof.json'), file],
    prints: /^valid\n$/,
  },
  convert: {
    text: JSON.stringify(proof),
    argv: (file) => ['convert', file, '--to', 'bytes', '--json'],
    prints: /"form":"snarkjs"/,
  },
  'credential verify': {
    text: CREDENTIAL,
    argv: (file) => ['credential', 'verify', file, '--issuer-key', SAMPLE.public_key.join(',')],
    prints: /valid/,
  },
  'rp sign-request': {
    text: `${'ab'.repeat(32)}\n`,
    argv: (file) => ['rp', 'sign-request', '--rp-id', 'rp_1234567890abcdef', '--key-file', file],
    prints: /"rp_id":\s*"rp_1234567890abcdef"/,
  },
  'tokens introspect': {
    text: 'garbage',
    argv: (file) => ['tokens', 'introspect', '--file', file],
    prints: /^not active: it is not a token of this service/,
  },
  'apps add, --client-secret-file': {
    text: `sk_${'0123456789abcdef'.repeat(3)}\n`,
    argv: (file) => ['apps', 'add', '--redirect-uri', 'https://a.example/cb', '--client-secret-file', file],
    prints: /sk_0123456789abcdef/,
  },
  '--config': {
    text: JSON.stringify({ engine: { maxQueue: 77 } }),
    argv: (file) => ['config', 'explain', '--config', file],
    prints: /maxQueue.* 77 /,
  },
};

beforeAll(async () => {
  await folder.run(['apps', 'add', '--app-id', APP]);
  for (const [name, value] of Object.entries({ key, proof, public: publicSignals }))
    await writeFile(at(`${name}.json`), JSON.stringify(value));
});

describe.each(Object.entries(ROWS))('%s', (_name, { text, argv, prints }) => {
  const run = async (content: Buffer): Promise<CliResult> => {
    const path = at('given');
    await writeFile(path, content);
    await chmod(path, 0o600);
    return await folder.run(argv(path), { env: { PROOFGATE_ENGINE_WORKERS: '0' } });
  };
  beforeAll(async () => void (await run(Buffer.from(text))));

  it('reads the same from UTF-8 and from every encoding', async () => {
    expect((await run(Buffer.from(text))).stdout).toMatch(prints);
    for (const [name, encode] of ENCODINGS) expect((await run(encode(text))).stdout, name).toMatch(prints);
  });
});

describe('standard input', () => {
  it.each(ENCODINGS)('may be in %s, in chunks of any size', async (_name, encode) => {
    const content = encode(line({ proof, publicSignals }).repeat(2));
    function* chunks(): Generator<Buffer> {
      for (let from = 0; from < content.length; from += 3) yield content.subarray(from, from + 3);
    }
    const argv = ['proof', 'verify', '-', '--key-file', at('key.json')];
    const result = await folder.run(argv, {
      stdin: Readable.from(chunks()),
      env: { PROOFGATE_ENGINE_WORKERS: '0' },
    });
    expect(result).toEqual({ code: 0, stdout: 'valid\nvalid\n', stderr: '' });
  });
});
