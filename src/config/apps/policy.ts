import type { JsonSchema } from '../../json.ts';
import { isStaging } from './app-forms.ts';
import type { FieldRule } from './field-rule.ts';

/** Environments of proofs; the names of the interfaces. */
const ENVIRONMENTS = ['production', 'staging'] as const;
/** Protocol versions of proofs. */
const PROTOCOLS = ['3.0', '4.0'] as const;
/** Bounds of `maxRootAgeSeconds`. */
const MIN_ROOT_AGE_SECONDS = 60;
const MAX_ROOT_AGE_SECONDS = 604_800;
const MAX_CREDENTIALS = 64;
const MAX_ACTIONS = 256;
/** Text without U+0000 and unpaired surrogates, which are not allowed in actions of requests. */
const ACTION_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';
/** An action of a request has at most 4,096 bytes, hence at most as many characters. */
const MAX_ACTION_CHARACTERS = 4096;
/** Maximum characters of a policy as JSON: rows of apps are kept in memory. */
const MAX_POLICY_CHARACTERS = 65_536;
/** An identifier of a credential, or the number of an issuer that is too large for a JSON number. */
const CREDENTIAL_PATTERN = '^(?:[a-z][a-z0-9_]{0,63}|[1-9][0-9]{0,19})$';

type Environment = (typeof ENVIRONMENTS)[number];

/** A verification policy as input by an operator; an absent member, or null, takes its default. */
export interface PolicyFields {
  readonly environments?: readonly Environment[] | null;
  readonly protocols?: readonly (typeof PROTOCOLS)[number][] | null;
  readonly credentials?: readonly (string | number)[] | null;
  readonly maxRootAgeSeconds?: number | null;
  readonly actions?: readonly string[] | null;
  readonly sessionProofReuse?: boolean | null;
}

/**
 * Verification policy of an app (spec/verification.md#verification-policy): the proofs that it accepts, for any
 * request. An absent member leaves the choice to the request.
 */
export interface VerificationPolicy {
  readonly environments: readonly Environment[];
  readonly protocols?: readonly (typeof PROTOCOLS)[number][];
  /** Identifiers of credentials and numbers of issuers. */
  readonly credentials?: readonly (string | number)[];
  readonly maxRootAgeSeconds?: number;
  /** The empty text represents proofs without an action, that is, session proofs. */
  readonly actions?: readonly string[];
  /** Absent: a session proof may be used again. */
  readonly sessionProofReuse?: false;
}

/** Policy that leaves every choice to the request: the default outside production. */
export const OPEN_POLICY: VerificationPolicy = { environments: ENVIRONMENTS };

function list(items: JsonSchema, maxItems: number, title: string, description: string): JsonSchema {
  return { type: ['array', 'null'], minItems: 1, maxItems, uniqueItems: true, items, title, description };
}

/** Members of a policy. */
export const POLICY_FIELDS: Readonly<Record<keyof PolicyFields, FieldRule>> = {
  environments: {
    schema: list(
      { type: 'string', enum: ENVIRONMENTS },
      ENVIRONMENTS.length,
      'Environments',
      'Environments of proofs. If absent: in production that of the app_id (production, or staging for app_staging_ ids), else both.',
    ),
    expected: `one or both of ${ENVIRONMENTS.join(', ')}`,
  },
  protocols: {
    schema: list(
      { type: 'string', enum: PROTOCOLS },
      PROTOCOLS.length,
      'Protocol versions',
      'Protocol versions of proofs; all if absent.',
    ),
    expected: `one or both of ${PROTOCOLS.map((version) => `"${version}"`).join(', ')}`,
  },
  credentials: {
    schema: list(
      {
        anyOf: [
          { type: 'string', pattern: CREDENTIAL_PATTERN },
          { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        ],
      },
      MAX_CREDENTIALS,
      'Credentials',
      'Credentials by identifier, such as orb or passport, and issuers of World ID 4.0 by issuer_schema_id; all if absent.',
    ),
    expected: `1 to ${MAX_CREDENTIALS} different identifiers, such as "orb", or numbers of issuers, such as 9303`,
  },
  maxRootAgeSeconds: {
    schema: {
      type: ['integer', 'null'],
      minimum: MIN_ROOT_AGE_SECONDS,
      maximum: MAX_ROOT_AGE_SECONDS,
      title: 'Maximum age of a root in seconds',
      description:
        'Maximum age of a Merkle root that is no longer current, in seconds, however much more a request or a setting allows.',
    },
    expected: `an integer from ${MIN_ROOT_AGE_SECONDS} to ${MAX_ROOT_AGE_SECONDS}`,
  },
  actions: {
    schema: list(
      { type: 'string', pattern: ACTION_PATTERN, maxLength: MAX_ACTION_CHARACTERS },
      MAX_ACTIONS,
      'Actions',
      'The only actions that are accepted; the empty text stands for session proofs, which have none. Any if absent.',
    ),
    expected: `1 to ${MAX_ACTIONS} different texts of at most ${MAX_ACTION_CHARACTERS} characters`,
  },
  sessionProofReuse: {
    schema: {
      type: ['boolean', 'null'],
      title: 'Session proofs may be used again',
      description:
        'Whether a session proof is accepted again within the life of its nonce; true if absent. A caller that repeats a request whose answer was lost needs it.',
    },
    expected: 'true or false',
  },
};

/** The field `policy` of an app. */
export const POLICY_RULE: FieldRule<PolicyFields | null> = {
  schema: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(POLICY_FIELDS).map(([name, { schema }]) => [name, schema])),
    title: 'Verification policy',
    description:
      'Proofs that the app accepts, whatever a request asks for; replaced as a whole, and null restores the default.',
  },
  expected: `an object of at most ${MAX_POLICY_CHARACTERS} characters of JSON with the members ${Object.keys(POLICY_FIELDS).join(', ')}`,
  fields: POLICY_FIELDS,
  maxCharacters: MAX_POLICY_CHARACTERS,
};

/**
 * Completes a valid policy with its defaults.
 *
 * @param given - Input of an operator; absent or null for the default.
 * @param isDevelopment - Whether the app was created outside the production profile; an app created in production
 *   accepts only the environment of its id by default. The profile of later changes does not matter.
 */
export function completePolicy(
  given: PolicyFields | null | undefined,
  appId: string,
  isDevelopment: boolean,
): VerificationPolicy {
  const { environments, protocols, credentials, maxRootAgeSeconds, actions, sessionProofReuse } = given ?? {};
  return {
    environments: environments ?? defaultEnvironments(appId, isDevelopment),
    ...(protocols == null ? {} : { protocols }),
    ...(credentials == null ? {} : { credentials }),
    ...(maxRootAgeSeconds == null ? {} : { maxRootAgeSeconds }),
    ...(actions == null ? {} : { actions }),
    ...(sessionProofReuse === false ? { sessionProofReuse } : {}),
  };
}

function defaultEnvironments(appId: string, isDevelopment: boolean): readonly Environment[] {
  if (isDevelopment) return OPEN_POLICY.environments;
  return [isStaging(appId) ? 'staging' : 'production'];
}
