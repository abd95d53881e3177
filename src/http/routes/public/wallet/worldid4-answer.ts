import { Ajv, type ValidateFunction } from 'ajv';
import type { WalletAnswer4 } from '../../../../development/worldid4/answer-proof-request.ts';
import { WalletRefusal } from '../../../../development/worldid4/read-proof-request.ts';
import { TRAPDOOR_KEY } from '../../../../development/worldid4/seed.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { JsonObject } from '../../../../json.ts';
import { WORLDID4_INPUTS } from '../../../../membership/keys/verifying-keys.ts';
import type { WalletErrorCode, WalletKind } from '../../../../pages.ts';
import type { AccountSecret } from '../../../../semaphore/development-account.ts';
import { decodeWord, isBelowScalarOrder } from '../../../../semaphore/words.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { requireJson } from '../../../headers/request-headers.ts';
import { parseBody, refusalOf } from './read-leaf.ts';
import { PROOFS_PER_MINUTE, type WorldId4ProofParts } from './worldid4-proof.ts';

/** A request of 16 credentials, and a signal. */
export const ANSWER_BODY_LIMIT_BYTES = 65_536;

/** Schema of the body: members of the decrypted request as the app sent them, the account, and the kind of wallet. */
export const WORLDID4_ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['request', 'account_secret', 'wallet'],
  properties: {
    // What an app sent: the wallet of the answer reads it.
    request: {
      type: 'object',
      required: ['proof_request'],
      properties: { proof_request: {}, environment: {}, require_user_presence: {} },
    },
    account_secret: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
    wallet: { enum: ['new', 'old'] },
    lacks: { type: 'array', maxItems: 16, items: { type: 'string', maxLength: 64 } },
  },
} as const;
const EXPECTED: Readonly<Record<string, string>> = {
  request: 'request: expected members of the decrypted request of the app.',
  proof_request: 'proof_request: expected it in request.',
  account_secret: 'account_secret: expected 0x and 64 hex digits of a field element.',
  wallet: 'wallet: expected new or old.',
  lacks: 'lacks: expected at most 16 identifiers of credentials.',
};
const OTHERWISE = 'Expected an object of request, account_secret, wallet, and lacks, no more.';

interface AnswerBody {
  readonly request: JsonObject;
  readonly account_secret: string;
  readonly wallet: WalletKind;
  readonly lacks?: readonly string[];
}

/** Outcome of the call: the answer to send, or the refusal with its reason for the person. */
export type WorldId4Outcome =
  | { readonly answer: WalletAnswer4; readonly nullifier?: string }
  | { readonly error_code: WalletErrorCode; readonly reason: string };

/**
 * Builds `POST …/worldid4-answer`: answers a World ID 4.0 request as the wallet of the person of an account
 * (spec/worldid4.md#wallets-of-development). It keeps nothing; the replay guard is the page's. Not for production.
 *
 * @param base - Path of the calls of the wallet.
 */
export function worldId4AnswerRoute(base: string, parts: Omit<WorldId4ProofParts, 'config' | 'apps'>): Route {
  const { tables, engine, keys, limits, now } = parts;
  const read = createBodyReader();
  const rateGuard = limits.perMinute('wallet worldid4-answer', PROOFS_PER_MINUTE);
  return {
    method: 'POST',
    path: `${base}/worldid4-answer`,
    bodyLimitBytes: ANSWER_BODY_LIMIT_BYTES,
    renderError: renderSigninError,
    ...(rateGuard ? { rateGuard } : {}),
    async handler({ headers, body }) {
      // This also blocks pages of other origins, as on the other calls.
      requireJson(headers);
      const { request, secret, wallet, lacks } = read(body);
      await keys.ensure(TRAPDOOR_KEY, WORLDID4_INPUTS);
      // Loaded at the first answer: a service without proofs needs no curve arithmetic in JavaScript.
      const { answerProofRequest } = await import('../../../../development/worldid4/answer-proof-request.ts');
      const time = now();
      const outcome = await answerProofRequest(
        request,
        { secret, issuedAt: time, lacks },
        { tables, engine, wallet, now: time },
      ).then(
        ({ answer, nullifier }): WorldId4Outcome => ({
          answer,
          ...(nullifier === undefined ? {} : { nullifier }),
        }),
        (error: unknown): WorldId4Outcome => {
          if (!(error instanceof WalletRefusal)) throw error;
          return { error_code: error.errorCode, reason: error.message };
        },
      );
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
        body: JSON.stringify(outcome),
      };
    },
  };
}

interface ReadBody extends Pick<AnswerBody, 'request' | 'wallet'> {
  readonly secret: AccountSecret;
  readonly lacks: readonly string[];
}

/** Creates the reader, which compiles its schema at the first call; it throws ServiceError `wallet.invalid_request`. */
function createBodyReader(): (body: Uint8Array) => ReadBody {
  let validate: ValidateFunction<AnswerBody> | undefined;
  return (body) => {
    const value = parseBody(body);
    // The schema is constant; a test checks it against its dialect.
    validate ??= new Ajv({ strict: true, meta: false, validateSchema: false }).compile(
      WORLDID4_ANSWER_SCHEMA,
    );
    if (!validate(value)) throw refusalOf(validate.errors?.[0], EXPECTED, OTHERWISE);
    const { request, account_secret, wallet, lacks = [] } = value;
    const secret = decodeWord(account_secret);
    if (secret === undefined || !isBelowScalarOrder(secret)) {
      throw new ServiceError('wallet.invalid_request', EXPECTED.account_secret, { path: 'account_secret' });
    }
    return { request, secret, wallet, lacks };
  };
}
