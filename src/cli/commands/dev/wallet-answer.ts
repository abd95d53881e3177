import type { CircuitFiles } from '../../../development/circuit-files.ts';
import { identityOf, type Member } from '../../../development/persons.ts';
import { type ProofCheck, proveAndCheck } from '../../../development/prove.ts';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { JsonObject } from '../../../json.ts';
import { unseal } from '../../../oidc/transaction/wallet-messages.ts';
import type { DevelopmentTree } from '../../../pages.ts';
import { externalNullifier } from '../../../semaphore/hashes.ts';
import { toHex } from '../../../semaphore/hex.ts';
import { decodeWord, isBelowScalarOrder } from '../../../semaphore/words.ts';

/** Place of a sign-in request at the bridge, and the key that decrypts it. */
export interface ConnectLink {
  readonly requestId: string;
  /** AES-256 key, 32 bytes. */
  readonly key: Uint8Array;
  /** Address of the bridge, without a trailing slash. */
  readonly bridge: string;
}

/** Request of an app to the wallet. */
export interface WalletRequest {
  readonly appId: string;
  /** Empty for a sign-in. */
  readonly action: string;
  /** 32 bytes, below r. */
  readonly signalHash: Uint8Array;
  /** Whether a proof of the tree orb alone satisfies the app. */
  readonly isOrbRequired: boolean;
}

/** Inputs of a wallet for a proof. */
export interface WalletParts {
  readonly member: Member;
  readonly files: CircuitFiles;
  readonly check: ProofCheck;
  /** Reports that a proof is being made, which takes a few seconds. */
  readonly note: (line: string) => void;
}

/** Answer to a request, before it is encrypted. */
export interface WalletAnswer {
  readonly proof: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly verification_level: DevelopmentTree;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{16,256}$/;
const KEY_BYTES = 32;

/**
 * Reads a link to the wallet, in the form of the sign-in page and its QR code: the members t, i, k and b in the
 * fragment or the query.
 *
 * @throws ServiceError `cli.usage` with the fault; the message contains no key
 */
export function readConnectLink(text: string): ConnectLink {
  const refuse = (reason: string): ServiceError =>
    new ServiceError(
      'cli.usage',
      `link: ${reason}; expected the link of the sign-in page to the wallet, https://…/wallet#t=wld&i=…&k=…&b=…`,
    );
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) throw refuse('it is not a URL');
  const { hash, search } = new URL(trimmed);
  const members = [hash.slice(1), search.slice(1)]
    .map((part) => new URLSearchParams(part))
    .find((part) => part.has('i') || part.has('k'));
  if (members?.get('t') !== 'wld') throw refuse('it has no member t=wld');
  const requestId = members.get('i') ?? '';
  if (!REQUEST_ID.test(requestId)) throw refuse('its member i is not the id of a request');
  // an unencoded + of base64 reads as a space
  const key = Buffer.from((members.get('k') ?? '').replaceAll(' ', '+'), 'base64');
  if (key.length !== KEY_BYTES) throw refuse(`its member k is not ${KEY_BYTES} bytes in base64`);
  const address = members.get('b');
  if (address === null) throw refuse('it names no bridge, so it is meant for a public wallet');
  const bridge = URL.canParse(address) ? new URL(address) : undefined;
  if (bridge === undefined || !/^https?:$/.test(bridge.protocol)) {
    throw refuse('its member b is not the address of a bridge');
  }
  return { requestId, key, bridge: `${bridge.origin}${bridge.pathname}`.replace(/\/+$/, '') };
}

/**
 * Decrypts the request in the response of a bridge.
 *
 * @param key - Key of the link.
 * @param code - Row of the catalogue for a refusal.
 * @throws ServiceError `code` for a body that is not an encrypted message, or a wrong key
 */
export function decryptRequest(key: Uint8Array, { iv, payload }: JsonObject, code: ErrorCode): JsonObject {
  if (typeof iv !== 'string' || typeof payload !== 'string') {
    throw new ServiceError(code, 'the bridge did not answer with an encrypted request');
  }
  const plaintext = unseal(key, { iv, payload });
  if (plaintext === undefined) throw new ServiceError(code, 'the key of the link does not open the request');
  return plaintext;
}

/**
 * Reads the part for World ID 3.0 of a decrypted request.
 *
 * @param code - Row of the catalogue for a refusal.
 * @throws ServiceError `code` for a request without app, action or signal
 */
export function requestIn(plaintext: JsonObject, code: ErrorCode): WalletRequest {
  const request = readWalletRequest(plaintext);
  if (request === undefined) throw new ServiceError(code, 'the request has no app_id, action or signal');
  return request;
}

function readWalletRequest(plaintext: JsonObject): WalletRequest | undefined {
  const { app_id, action = '', signal, verification_level, credential_types } = plaintext;
  const signalHash = typeof signal === 'string' ? decodeWord(signal) : undefined;
  if (typeof app_id !== 'string' || app_id === '' || typeof action !== 'string') return undefined;
  if (signalHash === undefined || !isBelowScalarOrder(signalHash)) return undefined;
  const isOrbRequired =
    verification_level === 'orb' ||
    (Array.isArray(credential_types) && credential_types.length > 0 && !credential_types.includes('device'));
  return { appId: app_id, action, signalHash, isOrbRequired };
}

/**
 * Makes the proof that a request asks for.
 *
 * @throws ServiceError `circuit.prover_failed`, `circuit.tools_missing`
 */
export async function proveRequest(
  { appId, action, signalHash }: WalletRequest,
  { member, files, check, note }: WalletParts,
): Promise<WalletAnswer> {
  note(`proving as person ${member.person.personId} of tree ${member.tree}, about 2 s …`);
  const statement = {
    identity: identityOf(member.person),
    inclusion: member.inclusion,
    signalHash,
    externalNullifier: externalNullifier(appId, action),
  };
  const { proof, inputs } = await proveAndCheck(statement, files, check);
  return {
    proof: toHex(proof),
    merkle_root: toHex(inputs.subarray(0, 32)),
    nullifier_hash: toHex(inputs.subarray(32, 64)),
    verification_level: member.tree,
  };
}
