/**
 * The back channel without HTTP: client authentication, the grants of /token, user information,
 * introspection and revocation (spec/sign-in.md#token-endpoint to spec/sign-in.md#client-authentication), one
 * endpoint per file.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { CheckedProof } from '../dpop/check-proof.ts';
import { refuseRepeated } from '../parameters.ts';
import type { ClientAuthentication, ClientCall } from './authenticate-client.ts';
import { checkTokenProof } from './check-dpop.ts';
import { exchangeCode } from './exchange-code.ts';
import type { TokenEndpointParts, TokenResponse } from './issue-tokens.ts';
import { useRefreshToken } from './use-refresh-token.ts';

type GrantStep = (
  client: AppRow,
  call: ClientCall,
  proof: CheckedProof | undefined,
  parts: TokenEndpointParts,
) => Promise<TokenResponse>;

const GRANTS: ReadonlyMap<string, GrantStep> = new Map<string, GrantStep>([
  ['authorization_code', exchangeCode],
  ['refresh_token', useRefreshToken],
]);

/** Parameters that must not be sent twice, for every grant type. */
const KNOWN = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
];

/**
 * Creates the token endpoint (spec/sign-in.md#token-endpoint): the check for repeated parameters, client
 * authentication, the grant type, the check of a proof of possession, then the grant, with which the use of the proof is
 * recorded.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `token.grant_type_missing`, `token.grant_type_unsupported`, those of `checkTokenProof` and of the grant,
 *   `store.unreachable`
 */
export function createTokenEndpoint(
  parts: TokenEndpointParts & { readonly authentication: ClientAuthentication },
): (call: ClientCall) => Promise<TokenResponse> {
  const { dpop, config } = parts;
  return async (call) => {
    refuseRepeated(call.parameters, KNOWN);
    const client = await parts.authentication.authenticate(call, 'any_client');
    call.facts.client = client.appId;
    const { dpopBoundAccessTokens } = client.client;
    if (call.proof !== undefined || dpopBoundAccessTokens) call.facts.nonce = dpop.nonce;
    const grant = grantOf(call);
    const proof = await checkTokenProof(dpop, call.proof, config.baseUrl, dpopBoundAccessTokens);
    return await grant(client, call, proof, parts);
  };
}

/** Returns the step for the grant type of a request. */
function grantOf({ parameters }: ClientCall): GrantStep {
  const grantType = parameters.get('grant_type');
  const grant = grantType === undefined ? undefined : GRANTS.get(grantType);
  if (grant !== undefined) return grant;
  const code = grantType === undefined ? 'token.grant_type_missing' : 'token.grant_type_unsupported';
  throw new ServiceError(code, undefined, { path: 'grant_type' });
}
