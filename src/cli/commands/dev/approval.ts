import type { Config } from '../../../config/settings/types.ts';
import type { CircuitFiles } from '../../../development/circuit-files.ts';
import { identityOf } from '../../../development/persons.ts';
import {
  answerProofRequest,
  type WalletAnswer4,
} from '../../../development/worldid4/answer-proof-request.ts';
import { WalletRefusal } from '../../../development/worldid4/read-proof-request.ts';
import { TRAPDOOR_KEY } from '../../../development/worldid4/seed.ts';
import type { JsonObject } from '../../../json.ts';
import type { WalletErrorCode, WalletKind } from '../../../pages.ts';
import { accountSecretOf } from '../../../semaphore/development-account.ts';
import { choosePerson, type PersonInput } from './choose-person.ts';
import { type DevelopmentParts, proofCheck } from './development.ts';
import type { Installation } from './installation.ts';
import { proveRequest, requestIn, type WalletAnswer } from './wallet-answer.ts';

/** Inputs of an approval in addition to the request. */
export interface ApprovalParts {
  readonly wanted: PersonInput;
  /** If undefined, 4.0 is tried first. */
  readonly protocol: '3.0' | '4.0' | undefined;
  /** Undefined if only 4.0 may be used. */
  readonly files: CircuitFiles | undefined;
  /** The wallet for World ID 4.0. */
  readonly wallet: WalletKind;
  readonly installation: Installation;
  /** Identifiers of World ID 4.0 credentials that the person does not have. */
  readonly lacks: readonly string[];
  readonly parts: DevelopmentParts;
  readonly config: Pick<Config, 'profile'>;
  readonly note: (line: string) => void;
}

/** Answer of a person who approves, and its report. */
export interface Approval {
  readonly answer: WalletAnswer | WalletAnswer4;
  readonly shown: JsonObject;
  readonly text: string;
}

/** Refusals after which a wallet proves by World ID 3.0 if the request allows it: the person has no 4.0. */
const WITHOUT_4: readonly WalletErrorCode[] = [
  'world_id_4_not_available',
  'unknown_rp',
  'credential_unavailable',
  'invalid_network',
];

/** Whether a decrypted request has a part for World ID 4.0. */
export function isForWorldId4({ proof_request }: JsonObject): boolean {
  return proof_request !== undefined && proof_request !== null;
}

/**
 * Answers the decrypted request of a bridge by a proof of World ID 4.0 or 3.0.
 *
 * @throws WalletRefusal for a request that the wallet refuses; ServiceError `approve.failed` for a 3.0 request that
 *   cannot be read
 */
export async function approvalOf(plaintext: JsonObject, use: ApprovalParts): Promise<Approval> {
  const { protocol, note } = use;
  const isFor4 = isForWorldId4(plaintext);
  const isFor3 = !isFor4 || plaintext.allow_legacy_proofs === true;
  if (protocol === '4.0' && !isFor4) {
    throw new WalletRefusal('world_id_3_not_available', 'the request is for World ID 3.0 only');
  }
  if (protocol === '3.0' && !isFor3) {
    throw new WalletRefusal('world_id_4_not_available', 'the request is for World ID 4.0 only');
  }
  if (protocol === '3.0' || !isFor4) return await approveBy3(plaintext, use);
  try {
    return await approveBy4(plaintext, use);
  } catch (error) {
    const isWithout4 = error instanceof WalletRefusal && WITHOUT_4.includes(error.errorCode);
    if (!isWithout4 || !isFor3 || protocol === '4.0') throw error;
    note(`no proof of World ID 4.0: ${error.message}`);
    return await approveBy3(plaintext, use);
  }
}

async function approveBy3(plaintext: JsonObject, use: ApprovalParts): Promise<Approval> {
  const { wanted, files, parts, config, note } = use;
  if (files === undefined) throw new Error('expected the circuit for a proof of World ID 3.0');
  const request = requestIn(plaintext, 'approve.failed');
  const tree = wanted.tree ?? (request.isOrbRequired ? 'orb' : undefined);
  const member = await choosePerson({ ...wanted, tree }, parts);
  const check = await proofCheck(parts.engine, config);
  const answer = await proveRequest(request, { member, files, check, note });
  const { personId } = member.person;
  return {
    answer,
    shown: {
      answered: 'approved',
      app_id: request.appId,
      action: request.action,
      person: personId,
      tree: member.tree,
    },
    text: `approved: app ${request.appId} has the proof of person ${personId} of tree ${member.tree}`,
  };
}

async function approveBy4(plaintext: JsonObject, use: ApprovalParts): Promise<Approval> {
  const { wanted, wallet, installation, lacks, parts, config } = use;
  const { store, engine, now } = parts;
  const { person } = await choosePerson(wanted, parts);
  await engine.registerKey(TRAPDOOR_KEY, (await proofCheck(engine, config, TRAPDOOR_KEY)).key);
  const account = { secret: accountSecretOf(identityOf(person)), issuedAt: person.createdAt, lacks };
  const answered = await answerProofRequest(plaintext, account, {
    tables: store,
    engine,
    wallet,
    now: now(),
  });
  const { answer, kind, rpId, nullifier } = answered;
  if (nullifier !== undefined) await installation.admit(nullifier, now());
  const { session_id, responses } = answer.proof_response;
  const credentials = responses.map(({ identifier }) => identifier);
  const { personId } = person;
  return {
    answer,
    shown: {
      answered: 'approved',
      protocol_version: '4.0',
      kind,
      rp_id: rpId,
      ...(session_id === undefined ? {} : { session_id }),
      person: personId,
      credentials,
    },
    text: `approved: ${rpId} has proofs of World ID 4.0 of person ${personId}: ${credentials.join(', ')}`,
  };
}
