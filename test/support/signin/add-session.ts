import { randomUUID } from 'node:crypto';
import { answerSecrets } from '../../../src/oidc/answer-secrets.ts';
import { createSessions } from '../../../src/oidc/sessions.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import type { SessionRow } from '../../../src/storage/signin/sessions.ts';
import type { Store } from '../../../src/storage/store.ts';
import { ACCEPTED, newTransaction, pendingBounds, START } from '../../storage/support/signin-rows.ts';

const LIFE_SECONDS = 3600;

/**
 * Adds a session of a person with an app, of an hour.
 *
 * @param person - A byte that makes the person's `sub`.
 * @param now - When the person proved, in milliseconds since the epoch.
 */
export async function addSession(
  store: Store,
  app: AppRow,
  person: number,
  now: number,
): Promise<SessionRow> {
  const config = { signin: { sessionSeconds: LIFE_SECONDS } };
  const sessions = createSessions({ config, store: store.sessions, now: () => now });
  const accepted = { ...ACCEPTED, sub: new Uint8Array(32).fill(person), authTime: now };
  const { row } = sessions.begin(app, accepted, answerSecrets(randomUUID(), ''));
  // The end of a sign-in writes it.
  await store.transactions.begin(newTransaction(row.sid), undefined, pendingBounds(100));
  await store.transactions.storeAnswer(row.sid, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
  await store.transactions.complete(row.sid, 1, ACCEPTED, {}, START + 1);
  await store.answers.consume(row.sid, { session: { former: undefined, begun: row } });
  return row;
}
