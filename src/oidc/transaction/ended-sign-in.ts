import { proofRefusal } from '../../apps/signin-policy.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Choice, TransactionRow } from '../../storage/signin/transactions.ts';
import { type AnswerSecrets, answerSecrets } from '../answer-secrets.ts';
import { withoutOfflineAccess } from '../authorize/request-parameters.ts';
import type { SuccessResponse } from '../authorize/responder.ts';
import { type Demanded, LEFT, type Reason, reasonOf } from './reasons.ts';
import type { OpenTransaction, TransactionParts } from './types.ts';
import { offeredChoices } from './view.ts';

/** A sign-in with an outcome. */
export interface EndedSignIn {
  readonly transaction: OpenTransaction;
  readonly client: AppRow;
  readonly secrets: AnswerSecrets;
  /** Error code if the policy of the client refuses what was accepted. */
  readonly refusal: ErrorCode | undefined;
  /** Whether the proof begins a session. */
  readonly stays: boolean;
  /**
   * Returns the response.
   *
   * @param number - Number of its code.
   * @param sid - Name of the session of its tokens, if there is one.
   */
  respond(number: number, sid: string | undefined): Promise<SuccessResponse>;
}

/** Returns the outcome of a sign-in in state `completed`, `refused` or `cancelled`. */
export function endedSignIn(
  transaction: OpenTransaction,
  client: AppRow,
  parts: TransactionParts,
): EndedSignIn {
  const { row, request } = transaction;
  const { txn } = row;
  const secrets = answerSecrets(transaction.cookie, txn);
  // The policy of the client may have changed since the proof was checked.
  const refusal = row.accepted ? proofRefusal(client, row.accepted) : undefined;
  const accepted = refusal === undefined ? row.accepted : null;
  const granted = hasAgreed('offline', transaction, parts) ? request : withoutOfflineAccess(request);
  return {
    transaction,
    client,
    secrets,
    refusal,
    stays: accepted !== null && hasAgreed('stay', transaction, parts),
    async respond(number, sid) {
      const { responder } = parts;
      if (accepted)
        return await responder.success(granted, accepted, { sid, txn, code: secrets.code(number) });
      const { requiresOrb } = request;
      const reason = reasonOfEnd(
        { ...row, code: refusal ?? row.code },
        { requiresOrb, ask: transaction.ask },
      );
      const response = responder.refusal(request, reason.error, reason.text);
      return { response, code: undefined, hasAccessToken: false };
    },
  };
}

/** Whether the person agreed to a choice that is still offered. */
function hasAgreed(choice: Choice, transaction: OpenTransaction, parts: TransactionParts): boolean {
  return transaction.row.agreed.includes(choice) && offeredChoices(transaction, parts).includes(choice);
}

/**
 * Returns the reason of an unsuccessful end. A person who leaves after a failure denies access, with the
 * description of that failure (spec/sign-in.md#proof-checks).
 */
function reasonOfEnd(
  { state, code }: Pick<TransactionRow, 'state' | 'code'>,
  demanded: Demanded,
): Omit<Reason, 'code'> {
  if (code === null) return LEFT;
  const reason = reasonOf(code, demanded);
  return state === 'cancelled' ? { ...reason, error: 'access_denied' } : reason;
}
