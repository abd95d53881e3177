import { isStaging } from '../config/apps/app-forms.ts';
import type { IssuerList } from '../config/values/issuer-list.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { AcceptedProof, Environment, Level } from '../storage/values.ts';

/** Trees of sign-in with World ID 3.0, in search order: a person in both has level `orb`. */
const LEVELS: readonly Level[] = ['orb', 'device'];
/**
 * Credential of World ID 4.0 that people get at an Orb. An app whose policy lists no credentials accepts it alone: a person
 * may have other credentials in other accounts, and would be another person in each.
 */
export const PROOF_OF_HUMAN = 'proof_of_human';

/** Returns the environment of the proofs for sign-in to a client. */
export function signinEnvironment(clientId: string): Environment {
  return isStaging(clientId) ? 'staging' : 'production';
}

/** A credential of World ID 4.0 that sign-in asks for. */
export interface Credential4 {
  readonly identifier: string;
  /** Decimal digits. */
  readonly issuerSchemaId: string;
}

/** Accepted credential issuers of World ID 4.0, by environment. */
export type SigninIssuers = Readonly<Record<Environment, IssuerList>>;

type PolicyRefusal = Extract<
  ErrorCode,
  'policy.environment_not_allowed' | 'policy.protocol_not_allowed' | 'policy.credential_not_allowed'
>;

/** What sign-in to an app accepts, or the reason why it accepts nothing. */
export type SigninPolicy =
  | {
      readonly code?: undefined;
      /** Levels of World ID 3.0, the stronger one first. */
      readonly levels: readonly Level[];
      /** Credentials of World ID 4.0, the strongest first. */
      readonly credentials: readonly Credential4[];
    }
  | { readonly code: PolicyRefusal };

/**
 * Applies the policy of an app to sign-in (spec/verification.md#verification-policy). A level of World ID 3.0 is the
 * credential of its tree. The action of sign-in belongs to the service, so the list of actions does not apply.
 *
 * @param issuers - Issuers of World ID 4.0; undefined while sign-in takes 3.0 alone.
 * @param requiresOrb - Whether only people who were verified at an Orb are accepted.
 */
export function signinPolicy(
  { appId, policy }: Pick<AppRow, 'appId' | 'policy'>,
  issuers: SigninIssuers | undefined,
  requiresOrb = false,
): SigninPolicy {
  const { environments, protocols, credentials: listed } = policy;
  const environment = signinEnvironment(appId);
  if (!environments.includes(environment)) return { code: 'policy.environment_not_allowed' };
  const takes3 = protocols?.includes('3.0') ?? true;
  const takes4 = issuers !== undefined && (protocols?.includes('4.0') ?? true);
  if (!takes3 && !takes4) return { code: 'policy.protocol_not_allowed' };
  const levels = takes3 ? LEVELS.filter((level) => listed?.includes(level) ?? true) : [];
  const known = takes4 ? credentialsOf(issuers[environment]) : [];
  const allowed = known.filter((credential) => isListed(credential, listed));
  const answer = {
    levels: requiresOrb ? levels.filter((level) => level === 'orb') : levels,
    credentials: requiresOrb ? allowed.filter(({ identifier }) => identifier === PROOF_OF_HUMAN) : allowed,
  };
  const isEmpty = answer.levels.length === 0 && answer.credentials.length === 0;
  return isEmpty ? { code: 'policy.credential_not_allowed' } : answer;
}

/** Returns one credential of each identifier, that of the first issuer in the list; `proof_of_human` comes first. */
function credentialsOf(issuers: IssuerList): readonly Credential4[] {
  const credentials = new Map<string, Credential4>();
  for (const [issuerSchemaId, [identifier]] of issuers) {
    if (identifier !== undefined && !credentials.has(identifier)) {
      credentials.set(identifier, { identifier, issuerSchemaId });
    }
  }
  return [...credentials.values()].sort((a, b) => rank(a) - rank(b));
}

function rank({ identifier }: Credential4): number {
  return identifier === PROOF_OF_HUMAN ? 0 : 1;
}

function isListed(
  { identifier, issuerSchemaId }: Credential4,
  listed: readonly (string | number)[] | undefined,
): boolean {
  if (listed === undefined) return identifier === PROOF_OF_HUMAN;
  return listed.some((entry) => entry === identifier || String(entry) === issuerSchemaId);
}

/** Returns the level of a credential of World ID 4.0. */
export function levelOfCredential(identifier: string): Level {
  return identifier === PROOF_OF_HUMAN ? 'orb' : 'device';
}

/** Returns the reason why the policy of an app does not accept what was proven before; undefined if it does. */
export function proofRefusal(
  { appId, policy, client }: Pick<AppRow, 'appId' | 'policy' | 'client'>,
  { level, evidence }: Pick<AcceptedProof, 'level' | 'evidence'>,
): PolicyRefusal | undefined {
  if (!policy.environments.includes(signinEnvironment(appId))) return 'policy.environment_not_allowed';
  const protocol = evidence === undefined ? '3.0' : '4.0';
  if (!(policy.protocols?.includes(protocol) ?? true)) return 'policy.protocol_not_allowed';
  // A session alone does not show that a person is one, as the app demands by now.
  if (evidence?.binding === 'session' && client.binding !== 'session') return 'policy.credential_not_allowed';
  const isAllowed =
    evidence === undefined
      ? (policy.credentials?.includes(level) ?? true)
      : isListed({ identifier: evidence.credential, issuerSchemaId: evidence.issuer }, policy.credentials);
  return isAllowed ? undefined : 'policy.credential_not_allowed';
}

/** Whether the policy of an app allows a person with this proof to sign in or stay signed in. */
export function acceptsProof(
  app: Pick<AppRow, 'appId' | 'policy' | 'client'>,
  accepted: Pick<AcceptedProof, 'level' | 'evidence'>,
): boolean {
  return proofRefusal(app, accepted) === undefined;
}
