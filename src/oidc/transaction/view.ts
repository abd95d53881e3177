import { isStaging } from '../../config/apps/app-forms.ts';
import type { StatusBody } from '../../pages.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import { CHOICES, type Choice } from '../../storage/signin/transactions.ts';
import { OFFLINE_ACCESS } from '../parameters.ts';
import { stepOf } from '../worldid4/plan.ts';
import type { Advanced } from './advance.ts';
import { pageUrl, redirectHost } from './attempts.ts';
import { attemptsLeft } from './next-attempt.ts';
import { policyOf } from './plan-sign-in.ts';
import { LEFT, type Reason, reasonOf } from './reasons.ts';
import type { OpenRow, OpenTransaction, SignInState, SignInView, TransactionParts, Way } from './types.ts';
import type { Collected } from './wallet-bridge.ts';
import { connectUrl, worldAppUrl } from './wallet-messages.ts';

/**
 * Returns the status body of a view. A cancelled sign-in has the status `refused`, so that other tabs of the
 * browser continue, too.
 */
export function statusBody(view: SignInView): StatusBody {
  const { state, expiresInSeconds, code, detail, worldId4, attempt } = view;
  const status = state === 'cancelled' ? 'refused' : state;
  const body = { status, expires_in: expiresInSeconds, code, detail };
  return worldId4 === undefined ? body : { ...body, attempt };
}

/** Returns the choices that the page offers (spec/sign-in.md#choices). */
export function offeredChoices(
  { row, request, ask }: OpenTransaction,
  { sessions }: Pick<TransactionParts, 'sessions'>,
): readonly Choice[] {
  const isOffered: Readonly<Record<Choice, boolean>> = {
    stay: sessions.isOn,
    offline: request.scope.includes(OFFLINE_ACCESS),
    known: ask !== undefined,
    link: request.mayLink === true && row.accepted === null,
  };
  return CHOICES.filter((choice) => isOffered[choice]);
}

/**
 * Builds the view of a sign-in for its page.
 *
 * @param client - The app as it is now; undefined if it has been removed.
 */
export function viewOf(
  { transaction, collected }: Advanced,
  client: AppRow | undefined,
  parts: Pick<TransactionParts, 'config' | 'bridge' | 'sessions' | 'worldId4' | 'now'>,
): SignInView {
  const { config, bridge, now } = parts;
  const { row, request, ask, isAnswered } = transaction;
  const at = now();
  const state = stateOf(row, collected, at);
  const reason = reasonOfView(state, transaction);
  const staging = isStaging(row.clientId);
  const { aesKey, bridgeId } = row;
  const isOpen = state === 'waiting' || state === 'connected';
  const link =
    isOpen && aesKey && bridgeId !== null
      ? { bridgeId, aesKey, bridgeUrl: bridge.url, isStaging: staging }
      : undefined;
  const returnTo = ask === undefined ? undefined : pageUrl(config.baseUrl, row.txn);
  return {
    txn: row.txn,
    state,
    expiresInSeconds: Math.max(0, Math.ceil((row.windowEndsAt - at) / 1000)),
    code: reason?.code ?? null,
    detail: reason?.text ?? null,
    clientId: row.clientId,
    clientName: client?.name ?? row.clientId,
    hasLogo: client?.hasLogo ?? false,
    redirectHost: redirectHost(request.redirectUri),
    isStaging: staging,
    scopes: request.scope,
    requiresOrb: request.requiresOrb,
    worldId4: ask && { foundBy: ask.by, ...stepOf(ask) },
    isLinking: row.accepted !== null,
    ...waysFor(transaction, client, parts),
    showsKnown: !isAnswered && row.agreed.includes('known') && row.accepted?.evidence !== undefined,
    attempt: row.attempt,
    choices: offeredChoices(transaction, parts),
    agreed: row.agreed,
    attemptsLeft: Math.max(0, attemptsLeft(transaction, parts)),
    connectUrl: link && connectUrl(config.wallet, link),
    tappedUrl: link && connectUrl(config.wallet, { ...link, returnTo }),
    worldAppUrl: link && config.profile !== 'production' ? worldAppUrl(link) : undefined,
  };
}

function stateOf(row: OpenRow, collected: Collected, at: number): SignInState {
  const { state } = row;
  if (state === 'answered') return 'verifying';
  if (state !== 'waiting') return state;
  if (row.bridgeId === null) return 'failed';
  if (at > row.windowEndsAt || collected === 'gone') return 'expired';
  return collected === 'retrieved' ? 'connected' : 'waiting';
}

function reasonOfView(state: SignInState, { row, request, ask }: OpenTransaction): Reason | undefined {
  const demanded = { requiresOrb: request.requiresOrb, ask };
  if (state === 'cancelled') return LEFT;
  if (row.code !== null && (state === 'failed' || state === 'refused')) return reasonOf(row.code, demanded);
  return state === 'failed' ? reasonOf('transaction.bridge_unreachable', demanded) : undefined;
}

/** Returns what else the person may ask for: someone else where a pointer was followed, a passkey, and the other version. */
function waysFor(
  { row, request, ask }: OpenTransaction,
  client: AppRow | undefined,
  { worldId4 }: Pick<TransactionParts, 'worldId4'>,
): Pick<SignInView, 'ways' | 'passkey'> {
  const policy = client && policyOf(client, request, worldId4);
  if (policy === undefined || policy.code !== undefined) return { ways: [], passkey: undefined };
  const ways: Way[] = [];
  const isLinking = row.accepted !== null;
  if (ask?.kind === 'prove' && (isLinking || request.hintedSub === undefined)) ways.push('other');
  if (!isLinking && ask !== undefined && !ask.takes3 && policy.levels.length > 0) ways.push('3.0');
  if (!isLinking && ask === undefined && policy.credentials.length > 0) ways.push('4.0');
  const takes4 = policy.credentials.length > 0 && !(isLinking && ask === undefined);
  const passkeys = takes4 ? worldId4?.passkeys : undefined;
  return { ways, passkey: passkeys && { rpId: passkeys.rpId, challenge: passkeys.challengeOfUse(row) } };
}
