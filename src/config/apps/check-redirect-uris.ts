import { isLocalHost } from '../../addresses.ts';
import { isStaging } from './app-forms.ts';
import type { ClientSettings } from './client-of.ts';
import { type FieldFault, shown } from './field-rule.ts';
import { checkOrigin } from './origin.ts';
import { checkRedirectUri } from './redirect-uri.ts';

/** A client, with the facts that determine its allowed addresses and permissions. */
export interface CheckedClient {
  readonly clientId: string;
  readonly client: Pick<
    ClientSettings,
    | 'redirectUris'
    | 'tokenEndpointAuthMethod'
    | 'introspects'
    | 'applicationType'
    | 'allowShortScheme'
    | 'allowedOrigins'
    | 'postLogoutRedirectUris'
    | 'backchannelLogoutUri'
  >;
  readonly isDevelopment: boolean;
}

const PUBLIC_CALLER: FieldFault = {
  field: 'introspects',
  text: 'a public client cannot authenticate at /introspect; expected another token_endpoint_auth_method than none',
};

/** Returns a fault for each address and permission that the client may not have, with the violated rule. */
export function clientFaults({ clientId, client, isDevelopment }: CheckedClient): FieldFault[] {
  const { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, allowedOrigins } = client;
  const { applicationType, allowShortScheme } = client;
  const rules = { isStaging: isStaging(clientId), applicationType, allowShortScheme, isDevelopment };
  const faultOf = (field: string, uri: string): FieldFault[] => {
    const reason = checkRedirectUri(uri, rules);
    return reason === undefined ? [] : [{ field, text: `${shown(uri)} ${reason}` }];
  };
  return [
    ...redirectUris.flatMap((uri, index) => faultOf(`redirect_uris[${index}]`, uri)),
    ...postLogoutRedirectUris.flatMap((uri, index) => faultOf(`post_logout_redirect_uris[${index}]`, uri)),
    ...allowedOrigins.flatMap((origin, index) => {
      const reason = checkOrigin(origin, rules);
      return reason === undefined
        ? []
        : [{ field: `allowed_origins[${index}]`, text: `${shown(origin)} ${reason}` }];
    }),
    ...(client.introspects.length > 0 && client.tokenEndpointAuthMethod === 'none' ? [PUBLIC_CALLER] : []),
    ...(backchannelLogoutUri === null ? [] : backchannelFaults(backchannelLogoutUri, faultOf)),
  ];
}

/** The service itself calls the address, so it needs a host. */
function backchannelFaults(uri: string, faultOf: (field: string, uri: string) => FieldFault[]): FieldFault[] {
  const field = 'backchannel_logout_uri';
  if (/^https?:/i.test(uri)) return faultOf(field, uri);
  return [{ field, text: `${shown(uri)} is not an http or https address` }];
}

/**
 * Returns a fault for an address that the deliverer of back-channel logout does not call (spec/operations.md#outgoing-calls).
 *
 * @param allowsLocal - `signin.allowLocalLogout`.
 */
export function localLogoutFaults(uri: unknown, allowsLocal: boolean): FieldFault[] {
  if (allowsLocal || typeof uri !== 'string' || !URL.canParse(uri)) return [];
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:' && !isLocalHost(hostname)) return [];
  const text = `${shown(uri)} is not https, or at an address of this machine or its link, which the service calls only if signin.allowLocalLogout is on`;
  return [{ field: 'backchannel_logout_uri', text }];
}
