import type { SqlRow, SqlValue, Statement } from '../../drivers/driver.ts';
import {
  type Attempt,
  CHOICES,
  type Choice,
  type NewTransaction,
  type TransactionRow,
  type TransactionState,
} from '../../model/store-signin.ts';
import type { AcceptedProof, BridgeMessage } from '../../values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import {
  bytesColumn,
  integerColumn,
  optionalBytesColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from '../columns.ts';
import { BRIDGE_LIFE_MS, UNCHARGED } from './bridge.ts';

const ATTEMPT_COLUMNS = 'attempt, signal, aes_key, bridge_id, window_ends_at';
const COLUMNS = `txn, client_id, request, cookie_hash, state, ${ATTEMPT_COLUMNS}, answer_iv, answer_payload, code, ${ACCEPTED_COLUMNS}, created_at, expires_at, agreed`;
const STATES: readonly TransactionState[] = [
  'waiting',
  'answered',
  'failed',
  'completed',
  'refused',
  'cancelled',
  'consumed',
];
const ERASE_ATTEMPT = 'aes_key = null, answer_iv = null, answer_payload = null';
// An answer has a fixed lifetime, so its end tells when it arrived.
const ANSWER_IN_TIME = `kind = 'response' and m.expires_at > $3 and m.expires_at <= t.window_ends_at + ${BRIDGE_LIFE_MS}`;
/** Rows of the current attempt on this service's bridge, without later messages of strangers. */
const OF_ATTEMPT = `id = (select bridge_id from signin_transactions where txn = $1) and ${UNCHARGED}`;

/** Adds a sign-in in state `waiting`. */
export function insertTransaction(row: NewTransaction): Statement {
  return {
    sql: `insert into signin_transactions (txn, client_id, request, cookie_hash, state, ${ATTEMPT_COLUMNS}, created_at, expires_at) values ($1,$2,$3,$4,'waiting',$5,$6,$7,$8,$9,$10,$11)`,
    params: [
      row.txn,
      row.clientId,
      row.request,
      row.cookieHash,
      ...attemptValues(row.first),
      row.createdAt,
      row.expiresAt,
    ],
  };
}

/** Selects a sign-in that has not expired. */
export function transactionById(txn: string, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from signin_transactions where txn = $1 and expires_at > $2`,
    params: [txn, now],
  };
}

/** Selects one row if an answer to this attempt waits on this service's bridge and came in time. */
export function waitingAnswer(txn: string, attempt: number, now: number): Statement {
  return {
    sql: `select 1 from signin_transactions t join bridge_messages m on m.id = t.bridge_id where t.txn = $1 and t.state = 'waiting' and t.attempt = $2 and t.expires_at > $3 and ${ANSWER_IN_TIME}`,
    params: [txn, attempt, now],
  };
}

/** waiting → answered, with the answer of `waitingAnswer`; a guard that returns no row if there is none. */
export function takeWaitingAnswer(txn: string, attempt: number, now: number): Statement {
  const answer = (column: string): string =>
    `(select m.${column} from bridge_messages m where m.id = t.bridge_id and m.${ANSWER_IN_TIME})`;
  return {
    sql: `update signin_transactions as t set state = 'answered', answer_iv = ${answer('iv')}, answer_payload = ${answer('payload')} where t.txn = $1 and t.state = 'waiting' and t.attempt = $2 and t.expires_at > $3 and exists ${answer('iv')} returning 1`,
    params: [txn, attempt, now],
    isGuard: true,
  };
}

/** waiting → answered, with this answer; a guard that returns no row in another state or after the window. */
export function putAnswer(txn: string, attempt: number, message: BridgeMessage, now: number): Statement {
  return {
    sql: "update signin_transactions set state = 'answered', answer_iv = $3, answer_payload = $4 where txn = $1 and state = 'waiting' and attempt = $2 and window_ends_at >= $5 and expires_at > $5 returning 1",
    params: [txn, attempt, message.iv, message.payload, now],
    isGuard: true,
  };
}

/** answered → completed; a guard. */
export function completeTransaction(
  txn: string,
  attempt: number,
  accepted: AcceptedProof,
  now: number,
): Statement {
  return {
    sql: `update signin_transactions set state = 'completed', sub = $3, level = $4, auth_time = $5, ${ERASE_ATTEMPT} where txn = $1 and state = 'answered' and attempt = $2 and expires_at > $6 returning 1`,
    params: [txn, attempt, ...acceptedValues(accepted), now],
    isGuard: true,
  };
}

/** answered → failed or refused; a guard. */
export function endAttempt(
  txn: string,
  attempt: number,
  state: 'failed' | 'refused',
  code: string,
): Statement {
  return {
    sql: `update signin_transactions set state = $3, code = $4, ${ERASE_ATTEMPT} where txn = $1 and state = 'answered' and attempt = $2 returning 1`,
    params: [txn, attempt, state, code],
    isGuard: true,
  };
}

/** waiting, failed → waiting; changes only the number of the attempt, `putAttempt` follows; a guard. */
export function beginRetry(txn: string, from: number, next: number, now: number): Statement {
  return {
    sql: "update signin_transactions set state = 'waiting', attempt = $3 where txn = $1 and state in ('waiting', 'failed') and attempt = $2 and expires_at > $4 returning 1",
    params: [txn, from, next, now],
    isGuard: true,
  };
}

/** Writes the data of the new attempt, after `beginRetry`. */
export function putAttempt(txn: string, attempt: Attempt): Statement {
  return {
    sql: 'update signin_transactions set attempt = $2, signal = $3, aes_key = $4, bridge_id = $5, window_ends_at = $6, code = null where txn = $1',
    params: [txn, ...attemptValues(attempt)],
  };
}

/** Writes what the person agrees to; a guard that returns no row once the response was delivered. */
export function agreeTo(txn: string, choices: readonly Choice[]): Statement {
  return {
    sql: "update signin_transactions set agreed = $2 where txn = $1 and state <> 'consumed' returning 1",
    params: [txn, choices.length === 0 ? null : choices.join(' ')],
    isGuard: true,
  };
}

/** waiting, failed → cancelled; a guard. */
export function cancelTransaction(txn: string): Statement {
  return {
    sql: `update signin_transactions set state = 'cancelled', ${ERASE_ATTEMPT} where txn = $1 and state in ('waiting', 'failed') returning 1`,
    params: [txn],
    isGuard: true,
  };
}

/**
 * completed, refused, cancelled → consumed, with a code or a session only from completed; a guard. Erases the
 * request too: the row remains until the end of the sign-in without counting against a bound, so it must be
 * small.
 */
export function consumeTransaction(txn: string, isSuccess: boolean): Statement {
  const states = isSuccess ? "'completed'" : "'completed', 'refused', 'cancelled'";
  return {
    sql: `update signin_transactions set state = 'consumed', request = '', signal = '""', code = null, sub = null, level = null, auth_time = null, agreed = null where txn = $1 and state in (${states}) returning 1`,
    params: [txn],
    isGuard: true,
  };
}

/** Removes the rows of the current attempt from this service's bridge. */
export function dropBridgeRows(txn: string): Statement {
  return {
    sql: `delete from bridge_messages where ${OF_ATTEMPT}`,
    params: [txn],
  };
}

/** Removes the current attempt's answer from the bridge; a guard that returns no row if there is none. */
export function dropWaitingAnswer(txn: string): Statement {
  return {
    sql: `delete from bridge_messages where ${OF_ATTEMPT} and kind = 'response' returning 1`,
    params: [txn],
    isGuard: true,
  };
}

/** Parses a row of `transactionById`. */
export function toTransactionRow(row: SqlRow): TransactionRow {
  const iv = optionalTextColumn(row[10] ?? null);
  return {
    txn: textColumn(row[0]),
    clientId: textColumn(row[1]),
    request: textColumn(row[2]),
    cookieHash: bytesColumn(row[3]),
    state: wordColumn(STATES, row[4]),
    attempt: integerColumn(row[5]),
    signal: JSON.parse(textColumn(row[6])) as string,
    aesKey: optionalBytesColumn(row[7]),
    bridgeId: optionalTextColumn(row[8]),
    windowEndsAt: integerColumn(row[9]),
    answer: iv === null ? null : { iv, payload: textColumn(row[11]) },
    code: optionalTextColumn(row[12]),
    accepted: toAcceptedProof(row, 13),
    createdAt: integerColumn(row[16]),
    expiresAt: integerColumn(row[17]),
    agreed: choicesOf(optionalTextColumn(row[18] ?? null)),
  };
}

/** Words of another release are left out. */
function choicesOf(agreed: string | null): Choice[] {
  const words = agreed?.split(' ') ?? [];
  return CHOICES.filter((choice) => words.includes(choice));
}

/** Returns the values of `ATTEMPT_COLUMNS`. The signal is JSON, since a client's nonce may contain U+0000. */
function attemptValues({ attempt, signal, aesKey, bridgeId, windowEndsAt }: Attempt): SqlValue[] {
  return [attempt, JSON.stringify(signal), aesKey, bridgeId, windowEndsAt];
}
