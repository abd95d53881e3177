import type { ErrorCode } from '../../errors/index.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { IDENTIFIERS, type Identifier, isEnvironment, TREE_OF } from '../../membership/roots/trees.ts';
import { externalNullifier } from '../../semaphore/hashes.ts';
import type { AppRow, Bytes32, Environment, Tree } from '../../storage/index.ts';
import { decodeStatement } from '../request/decode-statement.ts';
import { DEFAULT_SIGNAL_HASH_TEXT, PROTOCOL_VERSION, PROTOCOL_VERSION_4 } from '../request/request-schema.ts';
import { WORD_AT } from '../request/request-types.ts';
import { policyRefusal } from '../run/check-policy.ts';
import { wordAt } from '../run/verify-item.ts';

/** A request of the verification interface in a proof file. */
export type ProofRequest = JsonObject & { readonly responses: readonly unknown[] };

/** One of the `responses`: the engine's input and the tree that its key is for, or why it cannot be read. */
export type RequestProof = { readonly identifier: string } & (
  | { readonly code: ErrorCode }
  | {
      readonly code?: undefined;
      readonly proof: Uint8Array;
      readonly inputs: Uint8Array;
      readonly environment: Environment;
      readonly tree: Tree;
      /** Root of the Merkle tree, 32 bytes. */
      readonly root: Bytes32;
    }
);

/** Whether a value of a proof file is a request. */
export function isProofRequest(value: unknown): value is ProofRequest {
  return isObject(value) && Array.isArray(value.responses);
}

/** Whether a request is of World ID 4.0, whose proofs are checked against keys and roots of a service. */
export function isWorldId4Request({ protocol_version }: ProofRequest): boolean {
  return protocol_version === '4.0';
}

/** Returns the app id in a request, which requests of `dev prove` have; the interface ignores that member. */
export function appOfRequest({ app_id }: ProofRequest): string | undefined {
  return typeof app_id === 'string' && app_id !== '' ? app_id : undefined;
}

/**
 * Reads the proofs of a request as the interface would pass them to the engine. Ignores everything on which a
 * proof does not depend, but for the lowest version: nonce, roots of the registry.
 *
 * @param app - The relying party: the external nullifier is derived from its app id, and its policy decides which proofs
 *   count, if it is known.
 */
export function readRequestProofs(
  request: ProofRequest,
  { appId, policy }: Pick<AppRow, 'appId'> & Partial<Pick<AppRow, 'policy'>>,
): RequestProof[] {
  const { action, environment = 'production' } = request;
  if (typeof action !== 'string' || action === '' || !isEnvironment(environment)) {
    return request.responses.map((item) => ({ identifier: identifierOf(item), code: 'entry.malformed' }));
  }
  if (request.min_protocol_version === PROTOCOL_VERSION_4) {
    const code = 'verify.protocol_version_not_allowed';
    return request.responses.map((item) => ({ identifier: identifierOf(item), code }));
  }
  const external = externalNullifier(appId, action);
  return request.responses.map((item) => {
    const read = readItem(item, environment, external);
    if (read.code !== undefined || policy === undefined) return read;
    const { identifier } = read;
    const code = policyRefusal(
      { environment, protocol: PROTOCOL_VERSION, action, items: [read] },
      { policy },
    );
    return code === undefined ? read : { identifier, code };
  });
}

function readItem(item: unknown, environment: Environment, external: Uint8Array): RequestProof {
  const identifier = identifierOf(item);
  const texts = isObject(item) ? textsOf(item) : undefined;
  if (texts === undefined || !isIdentifier(identifier)) return { identifier, code: 'entry.malformed' };
  const statement = decodeStatement(texts);
  if (statement.code !== undefined) return { identifier, code: statement.code };
  const { bytes } = statement;
  bytes.set(external, WORD_AT.externalNullifier);
  const [proof, inputs] = [bytes.subarray(0, WORD_AT.root), bytes.subarray(WORD_AT.root)];
  const root = wordAt(statement, WORD_AT.root);
  return { identifier, proof, inputs, environment, tree: TREE_OF[identifier], root };
}

function textsOf(item: JsonObject): Parameters<typeof decodeStatement>[0] | undefined {
  const {
    proof,
    nullifier,
    merkle_root: merkleRoot,
    signal_hash: signalHash = DEFAULT_SIGNAL_HASH_TEXT,
  } = item;
  const isText = (value: unknown): value is string => typeof value === 'string';
  return isText(proof) && isText(nullifier) && isText(merkleRoot) && isText(signalHash)
    ? { proof, nullifier, merkleRoot, signalHash }
    : undefined;
}

/** Stands in for an identifier that is not one of World ID 3.0. */
export const NO_IDENTIFIER = '?';

function identifierOf(item: unknown): string {
  const identifier = isObject(item) ? item.identifier : undefined;
  return isIdentifier(identifier) ? identifier : NO_IDENTIFIER;
}

function isIdentifier(value: unknown): value is Identifier {
  return IDENTIFIERS.some((identifier) => identifier === value);
}
