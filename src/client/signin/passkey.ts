import { fromBase64, toBase64 } from '../../bytes.ts';
import type { NewPasskeyConfig, PasskeyConfig } from '../../pages.ts';
import { fetchWithRetry } from '../retry-after.ts';

/**
 * Shows the buttons about passkeys where the browser knows passkeys, and makes them work: the browser asks the person, and
 * the page loads again once the service has accepted the answer.
 *
 * @param hold - Keeps the page from loading again by itself until a promise has settled.
 */
export function startPasskeyButtons(hold: (until: Promise<unknown>) => void): void {
  if (!('PublicKeyCredential' in window)) return;
  for (const part of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
    const button = part.querySelector('button');
    const said = part.querySelector<HTMLElement>('[role="status"]');
    if (button === null || said === null) continue;
    const config = JSON.parse(part.dataset.passkey ?? '') as PasskeyConfig | NewPasskeyConfig;
    part.hidden = false;
    let isAsking = false;
    button.addEventListener('click', () => {
      if (isAsking) return;
      isAsking = true;
      button.setAttribute('aria-busy', 'true');
      said.textContent = '';
      const end = (text: string): void => {
        said.textContent = text;
        isAsking = false;
        button.removeAttribute('aria-busy');
      };
      hold(ask(config, said).then((fault) => (fault === undefined ? location.reload() : end(fault))));
    });
  }
}

/** Asks the browser and then the service; returns the sentence for the person if it failed. */
async function ask(config: PasskeyConfig | NewPasskeyConfig, said: HTMLElement): Promise<string | undefined> {
  let sent: Readonly<Record<string, string>>;
  try {
    sent = 'userHandle' in config ? await make(config) : await use(config);
  } catch {
    return config.stopped;
  }
  const init: RequestInit = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(sent),
    redirect: 'error',
  };
  try {
    const { ok } = await fetchWithRetry(
      () => fetch(config.url, init),
      () => {
        said.textContent = config.busy;
      },
    );
    return ok ? undefined : config.failed;
  } catch {
    return config.unanswered;
  }
}

async function use({ challenge, rpId }: PasskeyConfig): Promise<Readonly<Record<string, string>>> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: bytesOf(challenge),
    rpId,
    userVerification: 'preferred',
  };
  const { id, response } = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature, userHandle } =
    response as AuthenticatorAssertionResponse;
  return {
    id,
    client_data: textOf(clientDataJSON),
    authenticator_data: textOf(authenticatorData),
    signature: textOf(signature),
    user_handle: textOf(userHandle ?? new ArrayBuffer(0)),
  };
}

async function make(config: NewPasskeyConfig): Promise<Readonly<Record<string, string>>> {
  const { challenge, rpId, rpName, userHandle, userName, algorithms } = config;
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytesOf(challenge),
    rp: { id: rpId, name: rpName },
    user: { id: bytesOf(userHandle), name: userName, displayName: userName },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    },
  };
  const { id, response } = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return {
    id,
    client_data: textOf(clientDataJSON),
    attestation: textOf(attestationObject),
    user_handle: userHandle,
  };
}

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding) ?? new Uint8Array(0);
}

/** Encodes bytes in base64url. */
function textOf(bytes: ArrayBuffer): string {
  return toBase64(new Uint8Array(bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
