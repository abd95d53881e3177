import { isObject, type JsonObject } from '../../../json.ts';
import {
  type DevelopmentTree,
  WALLET_ERROR_CODES,
  type WalletErrorCode,
  type WalletKind,
} from '../../../pages.ts';
import type { ProverInclusion } from '../prover/prover-protocol.ts';
import { call, explain, WalletError } from './call.ts';

/** Statement of a World ID 4.0 proof. */
export interface WorldId4Job {
  readonly appId: string;
  /** The action, or the session to continue; a new session if its id is empty. */
  readonly purpose: { readonly action: string } | { readonly sessionId: string };
  /** Empty for none. */
  readonly signal: string;
}

/** A World ID 4.0 request to answer. */
export interface AnswerJob {
  /** The decrypted request of the app. */
  readonly request: JsonObject;
  /** Secret of the account, `0x` and 64 hex digits; not that of the identity. */
  readonly accountSecret: string;
  readonly wallet: WalletKind;
  /** Identifiers of credentials that the person does not have. */
  readonly lacks: readonly string[];
}

/** A refusal of the wallet. */
export interface Refusal {
  readonly errorCode: WalletErrorCode;
  /** For the person. */
  readonly reason: string;
}

/** An answer for the app; the nullifier is that of a uniqueness answer, `nil_` and 64 hex digits. */
export interface Answer4 {
  readonly answer: JsonObject;
  readonly nullifier: string | undefined;
}

/** A registered app, for the form that proves an action. */
export interface ListedApp {
  readonly appId: string;
  readonly name: string;
}

/**
 * The development calls of the service (spec/sign-in.md#development-wallet). Commitments are public; secrets
 * are never sent.
 */
export interface WalletApi {
  /** Appends a commitment to a tree; idempotent. */
  enroll(tree: DevelopmentTree, commitment: string): Promise<void>;
  /** Fetches the inclusion proof of a commitment; undefined if it is not in the tree. */
  inclusionProof(tree: DevelopmentTree, commitment: string): Promise<ProverInclusion | undefined>;
  /** Lists the apps that accept proofs. */
  listApps(): Promise<readonly ListedApp[]>;
  /** Lets the service make a World ID 4.0 proof; returns its verification request. */
  proveWorldId4(job: WorldId4Job): Promise<JsonObject>;
  /** Lets the service answer a World ID 4.0 request for an account. */
  answerWorldId4(job: AnswerJob): Promise<Answer4 | Refusal>;
  /** Calls back after every enrolment. */
  subscribe(listener: () => void): void;
}

/**
 * Creates the calls below a base path. Each throws WalletError `network` or `answer`.
 *
 * @param basePath - Empty, or `/…` without a trailing slash.
 */
export function createWalletApi(basePath: string): WalletApi {
  const root = `${basePath}/wallet/api`;
  const listeners: (() => void)[] = [];
  return {
    async enroll(tree, commitment) {
      const answer = await call('POST', `${root}/enroll`, { tree, commitment });
      if (answer.status !== 200) throw refused('The identity was not enrolled', answer);
      for (const listener of listeners) listener();
    },
    async inclusionProof(tree, commitment) {
      const query = new URLSearchParams({ tree, commitment });
      const answer = await call('GET', `${root}/inclusion-proof?${query}`);
      if (answer.status === 404) return undefined;
      const { root: treeRoot, index, siblings } = isObject(answer.body) ? answer.body : {};
      const isWhole = typeof treeRoot === 'string' && typeof index === 'number' && Array.isArray(siblings);
      if (answer.status !== 200 || !isWhole) throw refused('The place in the tree is not known', answer);
      return { root: treeRoot, index, siblings: siblings.map(String) };
    },
    async listApps() {
      const answer = await call('GET', `${root}/apps`);
      const { apps } = isObject(answer.body) ? answer.body : {};
      if (answer.status !== 200 || !Array.isArray(apps)) throw refused('The apps are not known', answer);
      return apps
        .filter(isObject)
        .map(({ app_id, name }) => ({ appId: String(app_id), name: String(name ?? '') }));
    },
    async proveWorldId4({ appId, purpose, signal }) {
      const answer = await call('POST', `${root}/worldid4-proof`, {
        app_id: appId,
        ...('action' in purpose ? purpose : { session_id: purpose.sessionId }),
        ...(signal === '' ? {} : { signal }),
      });
      if (answer.status !== 200 || !isObject(answer.body)) throw refused('The proof was not made', answer);
      return answer.body;
    },
    async answerWorldId4({ request, accountSecret, wallet, lacks }) {
      const { proof_request, environment, require_user_presence } = request;
      const answer = await call('POST', `${root}/worldid4-answer`, {
        request: { proof_request, environment, require_user_presence },
        account_secret: accountSecret,
        wallet,
        lacks,
      });
      const { answer: made, nullifier, error_code, reason } = isObject(answer.body) ? answer.body : {};
      const errorCode = WALLET_ERROR_CODES.find((code) => code === error_code);
      if (errorCode !== undefined) return { errorCode, reason: String(reason) };
      if (answer.status !== 200 || !isObject(made)) throw refused('The proof was not made', answer);
      return { answer: made, nullifier: typeof nullifier === 'string' ? nullifier : undefined };
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}

function refused(what: string, answer: { readonly status: number; readonly body: unknown }): WalletError {
  return new WalletError('answer', `${what} ${explain(answer)}.`);
}
