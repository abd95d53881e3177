import { ServiceError } from '../../errors/service-error.ts';
import {
  CONVERSION_TARGETS,
  type ConversionTarget,
  type KeyOrProof,
  keyAs,
  proofAs,
  readKeyOrProof,
} from '../../groth16/convert.ts';
import type { KeyFormName } from '../../groth16/key.ts';
import type { DecodedKey } from '../../groth16/layout.ts';
import { decodeKey } from '../../membership/keys/built-in-keys.ts';
import { toHex } from '../../semaphore/hex.ts';
import { isZkeyKey, readFormFile, readProofFile } from '../input/form-file.ts';
import { wholeNumber } from '../operations/operation-command.ts';
import type { Command, CommandContext, CommandInput } from '../program/command.ts';

/** What a file had. */
type Found =
  | Extract<KeyOrProof, { kind: 'proof' }>
  | { readonly kind: 'key'; readonly key: DecodedKey & { readonly form: KeyFormName | 'zkey' } };

/** A conversion for display. */
interface Conversion {
  /** For `--json`. */
  readonly value: unknown;
  readonly text: string;
}

/** `convert FILE --to FORM`: prints a key or a proof in another form. */
export const convert: Command = {
  path: ['convert'],
  summary: 'print a verifying key or a proof of one tool in the form of another',
  details: `Whether FILE has a key or a proof, and in which form, is recognized; standard error names both. Standard output has:
  --to snarkjs   of a key: verification_key.json
                 (without vk_alphabeta_12, which snarkjs does not need)
                 of a proof: proof.json; with public signals, as fullProve
                 returns them: {"proof": …, "publicSignals": […]}
  --to solidity  of a key: JSON with alpha, beta, gamma, delta and IC
                 of a proof: the arguments of verifyProof, as \`snarkjs zkey
                 export soliditycalldata\` prints them; without public
                 signals, only the three of the proof
  --to bytes     0x and hex digits, big-endian, of G2 c1 before c0
                 of a key: alpha, beta, gamma, delta, IC
                 of a proof: A, B, C
Public signals are those of --public, or those that the proof carries. With --json, the output has kind, form, to and result. The points must be on their curves; whether a proof holds, and whether a key is safe, is checked by \`proof verify\` and \`vkey import\`.`,
  arguments: [{ name: 'file', description: 'a key, a zkey or a proof in any form; - is standard input' }],
  options: [
    {
      flags: '--to <form>',
      description: 'form of the output',
      isRequired: true,
      choices: CONVERSION_TARGETS,
    },
    { flags: '--public <file>', description: 'public signals of a proof, in any form' },
    { flags: '--depth <n>', description: 'depth whose key is taken from a packed file of Semaphore' },
  ],
  run: async (input, context) => {
    const to = CONVERSION_TARGETS.find((target) => target === input.option('to')) ?? 'snarkjs';
    const found = await readFound(input, context, to);
    const { form } = found.kind === 'key' ? found.key : found.proof;
    context.note(`${input.argument('file')}: a ${found.kind} in the form ${form}${countOf(found)}`);
    const { value, text } =
      found.kind === 'key' ? convertedKey(found.key, to) : convertedProof(found.proof, to);
    await context.print({ kind: found.kind, form, to, result: value }, text);
    return 0;
  },
};

async function readFound(input: CommandInput, context: CommandContext, to: ConversionTarget): Promise<Found> {
  const [path, publicPath, depthText] = [
    input.argument('file'),
    input.option('public'),
    input.option('depth'),
  ];
  if (publicPath !== undefined && to === 'bytes')
    throw new ServiceError('cli.usage', '--public: --to bytes has no place for public signals');
  if (publicPath === '-' && path === '-')
    throw new ServiceError('cli.usage', 'expected - (standard input) for one file only');
  const depth = depthText === undefined ? undefined : wholeNumber('--depth', depthText);
  const file = await readFormFile(path, context);
  const publicSignals = publicPath === undefined ? undefined : await readProofFile(publicPath, context);
  const found: Found = isZkeyKey(file)
    ? { kind: 'key', key: { form: 'zkey', ...file } }
    : decodeKey(() => readKeyOrProof(file, { depth, publicSignals }));
  if (found.kind === 'key' && publicPath !== undefined)
    throw new ServiceError('cli.usage', `--public: expected a proof, but ${path} is a key`);
  return found;
}

function countOf(found: Found): string {
  if (found.kind === 'key') return `, ${found.key.inputCount} public inputs`;
  const { signals } = found.proof;
  return signals === undefined ? '' : `, ${signals.length / 32} public signals`;
}

function convertedKey(key: DecodedKey, to: ConversionTarget): Conversion {
  if (to !== 'bytes') return inJson(keyAs(key, to));
  const hex = toHex(keyAs(key, to));
  return { value: hex, text: hex };
}

function convertedProof(
  read: Extract<KeyOrProof, { kind: 'proof' }>['proof'],
  to: ConversionTarget,
): Conversion {
  if (to === 'snarkjs') {
    const converted = proofAs(read, to);
    return inJson(converted.publicSignals === undefined ? converted.proof : converted);
  }
  const text = to === 'bytes' ? toHex(proofAs(read, to)) : proofAs(read, to);
  return { value: text, text };
}

function inJson(value: object): Conversion {
  return { value, text: JSON.stringify(value, null, 1) };
}
