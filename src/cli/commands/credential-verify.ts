import { isEqual } from '../../bytes.ts';
import { type CredentialCheck, verifyCredential } from '../../credential/hash.ts';
import { type ParsedCredential, parseCredential } from '../../credential/parse.ts';
import { parseCoordinate } from '../../credential/public-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { decodeText } from '../../json.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { IssuerKeyStatus } from '../../storage/refresh/issuer-keys.ts';
import { isoTime } from '../../text.ts';
import { readInput } from '../input/input-file.ts';
import type { Command, CommandContext, CommandInput } from '../program/command.ts';

/** Which key is named: the given one or another; without a given key, the status of the key in the store. */
type KeyStanding = 'given' | 'other' | IssuerKeyStatus | 'unknown';

type PublicKey = Pick<ParsedCredential, 'x' | 'y'>;

/** Reason why a credential is not valid, by the standing of its key. */
const KEY_FAULTS: Readonly<Partial<Record<KeyStanding, string>>> = {
  other: 'it names another key than the given one',
  revoked: 'the key is revoked',
  unknown: 'the store has no such key for this issuer_schema_id',
};
// A credential has 1.7 KB.
const MAX_BYTES = 65_536;
/** Latest time that `Date` can represent, in seconds. */
const LAST_SECOND = 8_640_000_000_000n;

async function readCredential(path: string, context: CommandContext): Promise<string> {
  const text = decodeText(await readInput(path, MAX_BYTES, context));
  if (text === undefined) throw new ServiceError('credential.invalid', `${path} is not UTF-8`);
  return text;
}

/** Reads the key of `--issuer-key`; undefined if it was not given. */
function givenKey(input: CommandInput): PublicKey | undefined {
  const text = input.option('issuerKey');
  if (text === undefined) return undefined;
  const [x, y, ...more] = text.split(',').map(parseCoordinate);
  if (x === undefined || y === undefined || more.length > 0) {
    throw new ServiceError(
      'cli.usage',
      '--issuer-key: expected X,Y in decimal, each below the order of the field',
    );
  }
  return { x, y };
}

function isSameKey(one: PublicKey, other: PublicKey): boolean {
  return isEqual(one.x, other.x) && isEqual(one.y, other.y);
}

function describe(check: CredentialCheck, standing: KeyStanding, expiresAt: bigint, now: number) {
  const isExpired = BigInt(Math.floor(now / 1000)) >= expiresAt;
  const faults = [
    check.isSigned ? undefined : 'the signature is invalid',
    KEY_FAULTS[standing],
    isExpired ? 'it has expired' : undefined,
  ].filter((fault) => fault !== undefined);
  const end = expiresAt <= LAST_SECOND ? isoTime(Number(expiresAt) * 1000) : null;
  const hash = toHex(check.hash);
  const keyId = check.key === undefined ? null : toHex(check.key).slice(2);
  return {
    isValid: faults.length === 0,
    value: {
      valid: faults.length === 0,
      hash,
      signature: check.isSigned,
      key: { id: keyId, standing },
      expires_at: end,
      expired: isExpired,
    },
    text: [
      `hash       ${hash}`,
      `signature  ${check.isSigned}`,
      `key        ${keyId ?? 'not a point of the curve'}, ${standing}`,
      `expires    ${end ?? `Unix second ${expiresAt}`}${isExpired ? ', expired' : ''}`,
      faults.length === 0 ? 'valid' : `not valid: ${faults.join('; ')}`,
    ].join('\n'),
  };
}

/** `credential verify FILE`: checks a credential and its key as a wallet does; exit code 0 only if valid. */
export const credentialVerify: Command = {
  path: ['credential', 'verify'],
  summary: 'check a credential without a server; exit code 0 only for a valid one',
  details: `FILE holds the JSON of a credential, or its base64 as in the answer of a refresh. A valid one is signed by the key
that it names, has not expired, and names the key of --issuer-key. Without --issuer-key the key must be a credential key
of the store, active or retired, for the same issuer_schema_id; with it, neither store nor network is used.`,
  arguments: [{ name: 'file', description: 'the credential; - is standard input' }],
  options: [
    {
      flags: '--issuer-key <x,y>',
      description: 'coordinates of the public key, decimal, as /api/v1/issuer-keys lists them',
    },
  ],
  run: async (input, context) => {
    const wanted = givenKey(input);
    const loaded = await context.loadConfig();
    const credential = parseCredential(await readCredential(input.argument('file'), context));
    const standing = async (): Promise<KeyStanding> => {
      if (wanted !== undefined) return isSameKey(wanted, credential) ? 'given' : 'other';
      const keys = await context.withStore(loaded, (store) =>
        store.issuerKeys.list(String(credential.fields.issuerSchemaId)),
      );
      return keys.find((key) => isSameKey(key, credential))?.status ?? 'unknown';
    };
    const keyStanding = await standing();
    const check = await context.withEngine({ ...loaded.config.engine, workers: 0 }, (engine) =>
      verifyCredential(engine, credential),
    );
    const { isValid, value, text } = describe(check, keyStanding, credential.fields.expiresAt, context.now());
    await context.print(value, text);
    return isValid ? 0 : 1;
  },
};
