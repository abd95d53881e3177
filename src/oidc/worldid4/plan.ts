import type { SigninPolicy } from '../../apps/signin-policy.ts';
import type { Binding } from '../../config/apps/fields.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { FoundPerson } from '../../storage/signin/people.ts';
import type { AuthorizationRequest } from '../types.ts';

/** Wire forms of a request for a new session: that of world-id-primitives 0.14 and later, and that of earlier ones. */
export type SessionForm = 'session' | 'create_session';

/** What found a person: a hint of the request, the cookie of the browser, or a passkey. */
export type FoundBy = 'hint' | 'browser' | 'passkey';

/** A person whom a session is asked of, and what found that person. */
export type KnownPerson = FoundPerson & { readonly by: FoundBy };

/** What an attempt asks a wallet for (spec/sign-in.md#world-id-40); plain JSON, so that a transaction can store it. */
export interface Plan {
  /**
   * `bound`: a proof of uniqueness with a new session; `create`: a new session; `pair`: a proof of uniqueness for the session
   * that the attempt before created; `prove`: a proof of a known session.
   */
  readonly kind: 'bound' | 'create' | 'pair' | 'prove';
  readonly binding: Binding;
  /** Form of `create`. */
  readonly form: SessionForm;
  /** Number of the client's action, from 1. */
  readonly beginning: number;
  /** `session_` and 128 hex digits, for `pair` and `prove`. */
  readonly sessionId?: string;
  /** The person of `prove`: `0x` and 64 hex digits. */
  readonly sub?: string;
  /** What found the person of `prove`. */
  readonly by?: FoundBy;
  /** Whether a proof of World ID 3.0 is accepted, too. */
  readonly takes3: boolean;
  /** Number of people known to the browser who were passed over. */
  readonly skipped: number;
}

/** Facts on which the first plan of a sign-in, or one for somebody else, depends. */
export interface PlanInput {
  readonly client: Pick<AppRow, 'client'>;
  readonly policy: Extract<SigninPolicy, { code?: undefined }>;
  /** People whom pointers find, the likeliest first. */
  readonly people: readonly KnownPerson[];
  /** Number of them to pass over. */
  readonly skipped: number;
  readonly beginning: number;
  readonly form: SessionForm;
}

/** Returns what to ask for; undefined if only World ID 3.0 is accepted. */
export function planFor({ client, policy, people, skipped, beginning, form }: PlanInput): Plan | undefined {
  if (policy.credentials.length === 0) return undefined;
  const { binding } = client.client;
  const shared = { form, beginning, skipped };
  const person = people[skipped];
  if (person !== undefined) {
    return {
      ...shared,
      kind: 'prove',
      binding: person.binding,
      sessionId: sessionText(person.sessionId),
      sub: toHex(person.sub),
      by: person.by,
      takes3: false,
    };
  }
  // A wallet parses a request about a session as one of World ID 4.0 alone.
  if (binding !== 'bound') return { ...shared, kind: 'create', binding, takes3: false };
  return { ...shared, kind: 'bound', binding, takes3: beginning === 1 && policy.levels.length > 0 };
}

/** Whether a client accepts a person whom a pointer finds: not by a session alone where its people are unique. */
export function isAcceptable(
  { binding }: Pick<FoundPerson, 'binding'>,
  { client }: Pick<AppRow, 'client'>,
): boolean {
  return binding !== 'session' || client.binding === 'session';
}

/** Returns the plan that follows when a wallet could not read a request; undefined if there is no other form. */
export function planAfterMalformed(plan: Plan, preferred: SessionForm): Plan | undefined {
  if (plan.kind === 'bound' && plan.takes3) return { ...plan, takes3: false };
  if (plan.kind !== 'create' || plan.form !== preferred) return undefined;
  return { ...plan, form: preferred === 'session' ? 'create_session' : 'session' };
}

/** Returns the action of a client: one for each beginning, so that people are others to other clients. */
export function actionOf(clientId: string, beginning: number): string {
  return beginning === 1 ? `sign-in ${clientId}` : `sign-in ${clientId} ${beginning}`;
}

/** Returns the text of a session id of 64 bytes. */
export function sessionText(id: Uint8Array): string {
  return `session_${Buffer.from(id).toString('hex')}`;
}

/** Number of steps of a sign-in, and which one a plan is. */
export function stepOf({ kind, binding }: Pick<Plan, 'kind' | 'binding'>): {
  readonly step: number;
  readonly steps: number;
} {
  const isPaired = binding === 'paired' && kind !== 'prove';
  return { step: kind === 'pair' ? 2 : 1, steps: isPaired ? 2 : 1 };
}

/** The sub of the expected person, if the request names one as a hint. */
export function hintedSubOf({ hintedSub, loginHint }: AuthorizationRequest): string | undefined {
  return hintedSub ?? (loginHint !== undefined && SUB.test(loginHint) ? loginHint : undefined);
}

const SUB = /^0x[0-9a-f]{64}$/;
