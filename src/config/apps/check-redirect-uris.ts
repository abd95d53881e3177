import { isStaging } from './app-forms.ts';
import { type FieldFault, shown } from './check-fields.ts';
import type { ClientSettings } from './client-of.ts';
import { checkRedirectUri } from './redirect-uri.ts';

/** A client, and the facts that decide which redirect URIs it may have. */
export interface CheckedClient {
  readonly clientId: string;
  readonly client: Pick<ClientSettings, 'redirectUris' | 'applicationType'>;
  readonly isDevelopment: boolean;
}

/** Returns a fault for each redirect URI that the client may not have, with the rule that it breaks. */
export function redirectUriFaults({ clientId, client, isDevelopment }: CheckedClient): FieldFault[] {
  const { redirectUris, applicationType } = client;
  const rules = { isStaging: isStaging(clientId), applicationType, isDevelopment };
  return redirectUris.flatMap((uri, index) => {
    const reason = checkRedirectUri(uri, rules);
    return reason === undefined
      ? []
      : [{ field: `redirect_uris[${index}]`, text: `${shown(uri)} ${reason}` }];
  });
}
