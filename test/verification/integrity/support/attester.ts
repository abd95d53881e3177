import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { SignJWT } from 'jose';
import { serveLocally } from '../../../support/server/local-server.ts';

/** A key that signs tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey;
}

/** Creates a key of an issuer of tokens. */
export function createSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } };
}

/** Signs a token. */
export function signToken(
  { kid, privateKey }: SigningKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(privateKey);
}

/** A server of a key set. */
export interface KeyServer {
  readonly url: string;
  /** Number of requests so far. */
  requests: number;
  respond: RequestListener;
  close(): Promise<void>;
}

/** Returns a listener that answers with a key set. */
export function keySetAnswer(...keys: readonly unknown[]): RequestListener {
  return (_request, response) => response.end(JSON.stringify({ keys }));
}

/** Starts a server that answers with `respond`, which may be replaced. */
export async function startKeyServer(respond: RequestListener = keySetAnswer()): Promise<KeyServer> {
  const { origin, close } = await serveLocally((request, response) => {
    keyServer.requests++;
    keyServer.respond(request, response);
  });
  const keyServer: KeyServer = { url: `${origin}/jwks.json`, requests: 0, respond, close };
  return keyServer;
}
