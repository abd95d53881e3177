import { isStaging } from '../config/apps/app-forms.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { Environment, Level } from '../storage/values.ts';

/** Protocol version of the proofs of sign-in. */
const PROTOCOL = '3.0';
/** Trees of sign-in, in search order: a person in both has level `orb`. */
const LEVELS: readonly Level[] = ['orb', 'device'];

/** Returns the environment of the proofs for sign-in to a client. */
export function signinEnvironment(clientId: string): Environment {
  return isStaging(clientId) ? 'staging' : 'production';
}

/** Accepted levels for sign-in to an app, or the reason why there are none. */
export type SigninPolicy =
  | { readonly code?: undefined; readonly levels: readonly Level[] }
  | {
      readonly code: Extract<
        ErrorCode,
        'policy.environment_not_allowed' | 'policy.protocol_not_allowed' | 'policy.credential_not_allowed'
      >;
    };

/**
 * Applies the policy of an app to sign-in (spec/verification.md#verification-policy). A level is the credential of its
 * tree. The action of sign-in belongs to the service, so the list of actions does not apply.
 */
export function signinPolicy({ appId, policy }: Pick<AppRow, 'appId' | 'policy'>): SigninPolicy {
  const { environments, protocols, credentials } = policy;
  if (!environments.includes(signinEnvironment(appId))) return { code: 'policy.environment_not_allowed' };
  if (protocols !== undefined && !protocols.includes(PROTOCOL))
    return { code: 'policy.protocol_not_allowed' };
  const levels = LEVELS.filter((level) => credentials?.includes(level) ?? true);
  return levels.length === 0 ? { code: 'policy.credential_not_allowed' } : { levels };
}

/** Returns the reason why the policy of an app does not allow sign-in with a level; undefined if it does. */
export function levelRefusal(app: Pick<AppRow, 'appId' | 'policy'>, level: Level): SigninPolicy['code'] {
  const policy = signinPolicy(app);
  if (policy.code !== undefined) return policy.code;
  return policy.levels.includes(level) ? undefined : 'policy.credential_not_allowed';
}

/** Whether the policy of an app allows people of a level to sign in or stay signed in. */
export function acceptsLevel(app: Pick<AppRow, 'appId' | 'policy'>, level: Level): boolean {
  return levelRefusal(app, level) === undefined;
}
