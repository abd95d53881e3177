import { isStaging } from '../config/apps/app-forms.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { Environment, Level } from '../storage/values.ts';

/** Protocol version of the proofs of sign-in. */
const PROTOCOL = '3.0';
/** Trees of sign-in, in search order: a person in both has level `orb`. */
const LEVELS: readonly Level[] = ['orb', 'device'];

/** The environment whose proofs sign a client's people in. */
export function signinEnvironment(clientId: string): Environment {
  return isStaging(clientId) ? 'staging' : 'production';
}

/** Levels with which people may sign in to an app, or the reason why nobody may. */
export type SigninPolicy =
  | { readonly code?: undefined; readonly levels: readonly Level[] }
  | {
      readonly code: Extract<
        ErrorCode,
        'policy.environment_not_allowed' | 'policy.protocol_not_allowed' | 'policy.credential_not_allowed'
      >;
    };

/**
 * Returns what the policy of an app leaves of sign-in (spec/verification.md#verification-policy). A level is the credential
 * of its tree. The action of sign-in is the service's own, so that a list of actions does not matter.
 */
export function signinPolicy({ appId, policy }: Pick<AppRow, 'appId' | 'policy'>): SigninPolicy {
  const { environments, protocols, credentials } = policy;
  if (!environments.includes(signinEnvironment(appId))) return { code: 'policy.environment_not_allowed' };
  if (protocols !== undefined && !protocols.includes(PROTOCOL))
    return { code: 'policy.protocol_not_allowed' };
  const levels = LEVELS.filter((level) => credentials?.includes(level) ?? true);
  return levels.length === 0 ? { code: 'policy.credential_not_allowed' } : { levels };
}

/** Returns why the policy of an app does not let people of a level sign in; undefined if it does. */
export function levelRefusal(app: Pick<AppRow, 'appId' | 'policy'>, level: Level): SigninPolicy['code'] {
  const policy = signinPolicy(app);
  if (policy.code !== undefined) return policy.code;
  return policy.levels.includes(level) ? undefined : 'policy.credential_not_allowed';
}

/** Whether the policy of an app lets people of a level sign in, or stay signed in. */
export function acceptsLevel(app: Pick<AppRow, 'appId' | 'policy'>, level: Level): boolean {
  return levelRefusal(app, level) === undefined;
}
