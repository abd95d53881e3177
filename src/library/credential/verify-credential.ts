import { isEqual } from '../../bytes.ts';
import { type ClaimEngine, claimOfPackage, claimOfRefresh } from '../../credential/credential.ts';
import { verifyCredential as checkSignature, type VerifyEngine } from '../../credential/hash.ts';
import { type ParsedCredential, parseCredential } from '../../credential/parse.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { toHex } from '../../semaphore/hex.ts';
import { numberOf } from '../../semaphore/words.ts';
import type { UseCrypto } from '../facade/crypto-functions.ts';
import { ProofgateError, publicError, reading } from '../facade/proofgate-error.ts';
import type { IssuerKey } from './issuer-keys.ts';
import { type ClaimRule, type Rules, rulesOf } from './options.ts';
import {
  type Credential,
  type CredentialFault,
  type CredentialVerdict,
  fault,
  type VerifyCredential,
} from './types.ts';

// A credential has 1.7 KB, its base64 2.3 KB.
const MAX_CHARACTERS = 65_536;

/** Creates `verifyCredential` over a crypto core. */
export function credentialVerifier(use: UseCrypto): VerifyCredential {
  const engine: VerifyEngine & ClaimEngine = {
    poseidon2: (width, states) => use((functions) => functions.poseidon2(width, states)),
    hashBytes: (tag, data) => use((functions) => functions.hashBytes(tag, data)),
    verifySignature: (key, message, signature) =>
      use((functions) => functions.verifySignature(key, message, signature)),
  };
  return async (text, options) => {
    const rules = reading('credential.option', () => rulesOf(options));
    if (typeof text !== 'string')
      throw new ProofgateError(
        'credential.text',
        'expected the JSON of a credential, or base64 of it, as a string',
      );
    const parsed = read(text);
    if ('code' in parsed) return { valid: false, ...parsed, faults: [parsed] };
    try {
      return await judge(engine, parsed, rules);
    } catch (error) {
      throw publicError(error);
    }
  };
}

function read(text: string): ParsedCredential | CredentialFault {
  if (text.length > MAX_CHARACTERS)
    return fault('credential.invalid', `expected at most ${MAX_CHARACTERS} characters, got ${text.length}`);
  try {
    return parseCredential(text);
  } catch (error) {
    if (!isServiceError(error, 'credential.invalid')) throw error;
    const { path } = error.details;
    return { ...fault('credential.invalid', error.message), ...(path !== undefined && { path }) };
  }
}

async function judge(
  engine: VerifyEngine & ClaimEngine,
  parsed: ParsedCredential,
  rules: Rules,
): Promise<CredentialVerdict> {
  const check = await checkSignature(engine, parsed);
  const credential = credentialOf(parsed);
  const named = keyOf(credential, rules.keys);
  const faults = [
    check.isSigned ? undefined : fault('credential.signature'),
    named.fault,
    differsFrom(rules.issuerSchemaId, credential) ? fault('credential.schema_differs') : undefined,
    rules.now >= credential.expiresAt ? fault('credential.expired') : undefined,
    credential.genesisIssuedAt < (rules.minGenesisIssuedAt ?? 0n)
      ? fault('credential.genesis_too_early')
      : undefined,
    await claimFault(engine, parsed, rules.claim),
  ].filter((found) => found !== undefined);
  const { key } = named;
  const facts = { credential, hash: toHex(check.hash) };
  const [first] = faults;
  if (first !== undefined) return { valid: false, ...first, faults, ...facts, ...(key && { key }) };
  // Without a key there is a fault.
  return { valid: true, faults: [], ...facts, key: key as IssuerKey };
}

function credentialOf({ fields, signature, x, y }: ParsedCredential): Credential {
  return {
    id: fields.id,
    issuerSchemaId: fields.issuerSchemaId,
    sub: toHex(fields.sub),
    genesisIssuedAt: fields.genesisIssuedAt,
    expiresAt: fields.expiresAt,
    claims: fields.claims.map(toHex),
    associatedDataHash: toHex(fields.associatedDataHash),
    signature: toHex(signature).slice(2),
    issuerKey: { x: numberOf(x), y: numberOf(y) },
  };
}

/**
 * Returns the listed key of a credential. A key revoked in one entry is revoked in all: its holder can sign credentials
 * of every kind.
 */
function keyOf(
  { issuerKey, issuerSchemaId }: Credential,
  keys: readonly IssuerKey[],
): { readonly key?: IssuerKey; readonly fault?: CredentialFault } {
  const same = keys.filter(({ x, y }) => x === issuerKey.x && y === issuerKey.y);
  const revoked = same.find(({ status }) => status === 'revoked');
  if (revoked !== undefined) return { key: revoked, fault: fault('credential.key_revoked') };
  const key = same.find((one) => one.issuerSchemaId === undefined || one.issuerSchemaId === issuerSchemaId);
  if (key !== undefined) return { key };
  return same.length === 0
    ? { fault: fault('credential.key_unknown') }
    : {
        fault: fault(
          'credential.key_unknown',
          'the key that the credential names is listed for another issuer_schema_id',
        ),
      };
}

function differsFrom(expected: bigint | undefined, { issuerSchemaId }: Credential): boolean {
  return expected !== undefined && expected !== issuerSchemaId;
}

async function claimFault(
  engine: ClaimEngine,
  { fields }: ParsedCredential,
  rule: ClaimRule | undefined,
): Promise<CredentialFault | undefined> {
  if (rule === undefined) return undefined;
  if ('idComm' in rule && rule.sub !== undefined && !isEqual(rule.sub, fields.sub))
    return fault('credential.claim_differs', 'sub is not that of the claim');
  const claim =
    'hashesJson' in rule
      ? await claimOfPackage(engine, rule.hashesJson)
      : await claimOfRefresh(engine, { idComm: rule.idComm, sub: fields.sub }, rule.issuedAt);
  return isEqual(claim, fields.claims[0] as Uint8Array) ? undefined : fault('credential.claim_differs');
}
