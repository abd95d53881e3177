import type { EventEmitter } from 'node:events';

/** Client of pg, whose connection its types do not declare. */
interface Connecting {
  readonly connection: EventEmitter;
}

const MECHANISM = 'SCRAM-SHA-256-PLUS';
const UNBOUND = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationKerberosV5',
  'authenticationGSS',
] as const;

/**
 * Refuses a server that does not authenticate by SCRAM bound to the TLS connection, before a password is sent: that it
 * has the password of the user is shown then, and that nobody between ends TLS (RFC 5802 section 6, RFC 5929).
 *
 * @param client - Not yet connected, with `enableChannelBinding`.
 * @param cut - Closes its connection.
 */
export function requireChannelBinding(client: object, cut: () => void): void {
  const { connection } = client as Connecting;
  let isOffered = false;
  let isProven = false;
  const refuse = (): void => {
    cut();
    const text = 'the server does not bind its authentication to TLS, as channel_binding=require demands';
    connection.emit('error', new Error(text));
  };
  for (const event of UNBOUND) connection.once(event, refuse);
  connection.once('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    isOffered = mechanisms.includes(MECHANISM);
    if (!isOffered) refuse();
  });
  // What it holds is checked by pg, which ends the connection if it is wrong.
  connection.once('authenticationSASLFinal', () => {
    isProven = isOffered;
  });
  connection.once('authenticationOk', () => {
    if (!isProven) refuse();
  });
}
