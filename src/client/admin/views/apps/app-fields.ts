import { element } from '../../../dom.ts';
import type { App } from '../../api/types.ts';
import { checkbox, checkedIn, choiceGroup, type FormField, formField, select } from '../../parts/form.ts';
import { linesOf, policyForm } from './policy-fields.ts';

const RESPONSE_TYPES = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
].map((one) => [one, one] as const);
const VERIFICATION = ['registered', 'pending', 'failed', 'deactivated', 'none'].map(
  (one) => [one, one] as const,
);
const AUTH_METHODS = [
  ['client_secret_basic', 'Confidential', 'A server that can keep a secret. It gets a client secret.'],
  ['none', 'Public', 'A browser or phone app, which cannot keep a secret. PKCE is always required.'],
] as const;
const TYPES = [
  ['web', 'Web', 'Redirects to https addresses only.'],
  ['native', 'Native', 'May redirect to a private scheme or to any port of a loopback address.'],
] as const;

/** Fields of an app in a form. */
export interface AppForm {
  readonly fields: readonly FormField[];
  readonly layout: readonly Node[];
  /** Returns the members of the request as the form has them. */
  read(): Promise<Record<string, unknown>>;
}

/**
 * Creates the fields, with the values of an app or for a new one.
 *
 * @param profile - Decides the defaults of a new app; absent if it is not known.
 */
export function appForm(app?: App, profile?: string): AppForm {
  const isStrict = profile === 'production';
  const name = element('input', {
    name: 'name',
    value: app?.name ?? '',
    maxlength: '64',
    autocomplete: 'off',
  });
  const uris = element('textarea', { name: 'redirect_uris', rows: '3', class: 'mono', spellcheck: 'false' });
  uris.value = app?.redirect_uris.join('\n') ?? '';
  const logoutUris = element('textarea', {
    ...{ name: 'post_logout_redirect_uris', rows: '2', class: 'mono', spellcheck: 'false' },
  });
  logoutUris.value = app?.post_logout_redirect_uris.join('\n') ?? '';
  const backchannelUri = element('input', {
    ...{ name: 'backchannel_logout_uri', class: 'mono', maxlength: '2048', spellcheck: 'false' },
    value: app?.backchannel_logout_uri ?? '',
  });
  const appId = element('input', {
    ...{ name: 'app_id', class: 'mono', maxlength: '64', spellcheck: 'false', autocomplete: 'off' },
  });
  const rpId = element('input', {
    ...{ name: 'rp_id', class: 'mono', maxlength: '64', spellcheck: 'false', autocomplete: 'off' },
    value: app?.rp_id ?? '',
  });
  const verification = select(VERIFICATION, app?.verification ?? 'registered');
  const logo = element('input', { type: 'file', name: 'logo', accept: 'image/png,image/jpeg,image/webp' });
  const method = app?.token_endpoint_auth_method ?? 'client_secret_basic';
  const uriHint =
    'One per line, compared byte for byte. Leave it empty for an app that only verifies proofs.';
  const parts = {
    name: formField('name', 'Name', name, 'What people see when they sign in'),
    uris: formField('redirect_uris', 'Redirect URIs', uris, uriHint),
    method: choiceGroup('token_endpoint_auth_method', 'Client', 'radio', AUTH_METHODS, [
      method === 'none' ? 'none' : 'client_secret_basic',
    ]),
    type: choiceGroup('application_type', 'Kind', 'radio', TYPES, [app?.application_type ?? 'web']),
    pkce: checkbox(
      ...(['require_pkce', 'Require PKCE', 'Refuses a code flow without it. Recommended.'] as const),
      app?.require_pkce ?? isStrict,
    ),
    responses: choiceGroup(
      ...(['response_types', 'Response types', 'checkbox', RESPONSE_TYPES] as const),
      app?.response_types ?? ['code'],
    ),
    signal: checkbox(
      'signal_is_nonce',
      'The proof carries the nonce as its signal',
      'For wallets that intercept the link; leave it off otherwise.',
      app?.signal_is_nonce ?? false,
    ),
    refresh: checkbox(
      'refresh_tokens',
      'Refresh tokens',
      'For people who agree that the app stays connected while they are away.',
      app?.refresh_tokens ?? false,
    ),
    par: checkbox(
      'require_pushed_authorization_requests',
      'Require pushed requests',
      'Refuses a request to sign in that the app did not push to /par first.',
      app?.require_pushed_authorization_requests ?? false,
    ),
    dpop: checkbox(
      'dpop_bound_access_tokens',
      'Require DPoP',
      'Refuses a token request without a proof of possession.',
      app?.dpop_bound_access_tokens ?? false,
    ),
    logoutUris: formField(
      'post_logout_redirect_uris',
      'URIs after sign-out',
      logoutUris,
      'One per line, compared byte for byte: where sign-out may redirect.',
    ),
    backchannelUri: formField(
      'backchannel_logout_uri',
      'Back-channel logout',
      backchannelUri,
      'Address that is told when a session ends. Usually empty.',
    ),
    verification: formField(
      'verification',
      'State as a relying party',
      verification,
      'Only “registered” lets the app verify proofs.',
    ),
    logo: formField('logo', 'Logo', logo, 'PNG, JPEG or WebP of at most 64 KiB, shown at sign-in'),
    appId: formField(
      'app_id',
      'app_id',
      appId,
      'app_ or app_staging_ and 32 lower-case hex digits, to take over an id that people already have a sub for. It is made up if this is empty, and cannot be changed later.',
    ),
    rpId: formField(
      'rp_id',
      'rp_id',
      rpId,
      app === undefined
        ? 'rp_ and 16 hex digits, if it is registered as a relying party under another id than the one that follows from the app_id. Usually empty.'
        : 'rp_ and 16 hex digits. Requests to verify name the app by it, so whoever sends them must change, too.',
    ),
    staging: checkbox(
      'staging',
      'Staging',
      'For tests: sign-in uses the staging trees. It cannot be changed later. An app_id that you give decides it by its prefix.',
      false,
    ),
  };
  const policy = policyForm(app?.policy);
  const removal = checkbox('remove_logo', 'Remove the logo', '', false);
  const more = element(
    'details',
    {},
    element('summary', {}, 'More'),
    element(
      'div',
      { class: 'stack' },
      ...(app === undefined ? [parts.appId.node] : []),
      ...[parts.rpId, parts.responses, parts.refresh, parts.par, parts.dpop, parts.logoutUris].map(
        ({ node }) => node,
      ),
      ...[parts.backchannelUri, parts.signal, parts.verification, policy, parts.logo].map(({ node }) => node),
      ...(app?.logo === true ? [removal.node] : []),
    ),
  );
  const shown = [parts.name, parts.uris, parts.method, parts.type, parts.pkce];
  return {
    fields: [...Object.values(parts), ...policy.fields],
    layout: [...shown.map(({ node }) => node), ...(app === undefined ? [parts.staging.node] : []), more],
    async read() {
      const chosen = checkedIn(parts.method)[0];
      const file = logo.files?.[0];
      return {
        ...(name.value.trim() === '' ? {} : { name: name.value.trim() }),
        redirect_uris: linesOf(uris.value),
        // A client that sends its secret in the body keeps that method.
        token_endpoint_auth_method: chosen === 'none' || method === 'none' ? chosen : method,
        application_type: checkedIn(parts.type)[0],
        require_pkce: isChecked(parts.pkce),
        response_types: checkedIn(parts.responses),
        signal_is_nonce: isChecked(parts.signal),
        refresh_tokens: isChecked(parts.refresh),
        require_pushed_authorization_requests: isChecked(parts.par),
        dpop_bound_access_tokens: isChecked(parts.dpop),
        post_logout_redirect_uris: linesOf(logoutUris.value),
        backchannel_logout_uri: backchannelUri.value.trim() === '' ? null : backchannelUri.value.trim(),
        verification: verification.value,
        policy: policy.read(),
        ...(app === undefined && isChecked(parts.staging) ? { staging: true } : {}),
        ...(app === undefined && appId.value.trim() !== '' ? { app_id: appId.value.trim() } : {}),
        ...(app === undefined && rpId.value.trim() === '' ? {} : { rp_id: rpId.value.trim() }),
        ...(isChecked(removal) ? { logo: null } : {}),
        ...(file === undefined ? {} : { logo: await base64Of(file) }),
      };
    },
  };
}

/** Returns the members of `values` that differ from those of an app. */
export function changesOf(values: Readonly<Record<string, unknown>>, app: App): Record<string, unknown> {
  const now = new Map<string, unknown>(Object.entries(app));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => name === 'logo' || JSON.stringify(value) !== JSON.stringify(now.get(name)),
    ),
  );
}

function isChecked({ control }: FormField): boolean {
  return control instanceof HTMLInputElement && control.checked;
}

async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
