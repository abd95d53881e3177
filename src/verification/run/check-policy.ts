import type { VerificationPolicy } from '../../config/apps/policy.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { IDENTIFIERS, TREE_OF } from '../../membership/roots/trees.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { IssuerLists, RequestItem, RequestItem4, VerifyRequest } from '../request/request-types.ts';

/** Members of a request to which a policy applies. */
export interface PolicyRequest extends Pick<VerifyRequest, 'environment' | 'protocol' | 'action'> {
  readonly items: readonly (Pick<RequestItem, 'tree'> | Pick<RequestItem4, 'issuerSchemaId'>)[];
}

/**
 * Refuses a request that the policy of the app does not allow (spec/verification.md#verification-policy), before any of its
 * proofs is checked. The age of a root is judged with the root.
 *
 * @param issuers - Identifiers of the issuers of World ID 4.0; undefined while it is off.
 * @throws ServiceError `policy.environment_not_allowed`, `policy.protocol_not_allowed`, `policy.action_not_allowed`,
 *   `policy.credential_not_allowed`
 */
export function checkPolicy(
  { environment, protocol, action, items }: PolicyRequest,
  { policy }: Pick<AppRow, 'policy'>,
  issuers: IssuerLists | undefined,
): void {
  const { environments, protocols, credentials, actions } = policy;
  if (!environments.includes(environment)) {
    throw new ServiceError(
      'policy.environment_not_allowed',
      `This app does not accept proofs of the environment ${environment}.`,
    );
  }
  if (protocols !== undefined && !protocols.includes(protocol)) {
    throw new ServiceError(
      'policy.protocol_not_allowed',
      `This app does not accept proofs of protocol version ${protocol}.`,
    );
  }
  if (actions !== undefined && !actions.includes(action)) {
    const what = action === '' ? 'session proofs' : 'this action';
    throw new ServiceError('policy.action_not_allowed', `This app does not accept ${what}.`);
  }
  if (credentials === undefined) return;
  const index = items.findIndex((item) =>
    'issuerSchemaId' in item
      ? !allowsIssuer(credentials, item, issuers?.[environment].get(item.issuerSchemaId))
      : !allowsIdentifier(credentials, item),
  );
  if (index < 0) return;
  throw new ServiceError(
    'policy.credential_not_allowed',
    `This app does not accept the credential of responses[${index}].`,
    { path: `responses[${index}]` },
  );
}

type Credentials = NonNullable<VerificationPolicy['credentials']>;

/** Identifiers of one tree count as one credential: only the caller's claim distinguishes them. */
function allowsIdentifier(credentials: Credentials, { tree }: Pick<RequestItem, 'tree'>): boolean {
  return IDENTIFIERS.some((identifier) => TREE_OF[identifier] === tree && credentials.includes(identifier));
}

/** An issuer is allowed by its number or by one of its identifiers, since the proof shows the issuer alone. */
function allowsIssuer(
  credentials: Credentials,
  { issuerSchemaId }: Pick<RequestItem4, 'issuerSchemaId'>,
  identifiers: ReadonlySet<string> = new Set(),
): boolean {
  return credentials.some((one) => String(one) === issuerSchemaId || identifiers.has(String(one)));
}

/** Returns the code with which `checkPolicy` refuses a request of World ID 3.0; undefined if it is allowed. */
export function policyRefusal(
  request: PolicyRequest,
  app: Pick<AppRow, 'policy'>,
): ServiceError['code'] | undefined {
  try {
    checkPolicy(request, app, undefined);
    return undefined;
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}
