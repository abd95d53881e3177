import { isStaging } from './app-forms.ts';
import type { ClientSettings } from './client-of.ts';
import { type FieldFault, shown } from './fields.ts';
import { checkRedirectUri } from './redirect-uri.ts';

/** A client, and the facts that decide which addresses it may have. */
export interface CheckedClient {
  readonly clientId: string;
  readonly client: Pick<
    ClientSettings,
    'redirectUris' | 'applicationType' | 'postLogoutRedirectUris' | 'backchannelLogoutUri'
  >;
  readonly isDevelopment: boolean;
}

/** Returns a fault for each address that the client may not have, with the rule that it breaks. */
export function redirectUriFaults({ clientId, client, isDevelopment }: CheckedClient): FieldFault[] {
  const { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, applicationType } = client;
  const rules = { isStaging: isStaging(clientId), applicationType, isDevelopment };
  const faultOf = (field: string, uri: string): FieldFault[] => {
    const reason = checkRedirectUri(uri, rules);
    return reason === undefined ? [] : [{ field, text: `${shown(uri)} ${reason}` }];
  };
  return [
    ...redirectUris.flatMap((uri, index) => faultOf(`redirect_uris[${index}]`, uri)),
    ...postLogoutRedirectUris.flatMap((uri, index) => faultOf(`post_logout_redirect_uris[${index}]`, uri)),
    ...(backchannelLogoutUri === null ? [] : backchannelFaults(backchannelLogoutUri, faultOf)),
  ];
}

/** The service itself calls the address, so that it needs a host. */
function backchannelFaults(uri: string, faultOf: (field: string, uri: string) => FieldFault[]): FieldFault[] {
  const field = 'backchannel_logout_uri';
  if (/^https?:/i.test(uri)) return faultOf(field, uri);
  return [{ field, text: `${shown(uri)} is not an http or https address` }];
}
