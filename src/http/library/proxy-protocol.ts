import type { Socket } from 'node:net';

// PROXY protocol, version 2: 12 bytes of signature, version and command, family, length of the rest.
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const FIXED_BYTES = 16;
const VERSION_2 = 2;
const PROXY_COMMAND = 1;
/** Longest rest that is read, as in uWebSockets.js: two addresses of IPv6 and ports, without further fields. */
const MAX_REST_BYTES = 36;
/** Bytes of an address by family (the high half of its byte): IPv4 and IPv6. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 4],
  [2, 16],
]);

/**
 * Reads a PROXY protocol header from the beginning of a connection; what follows it, or all if there is none, stays to be
 * read. A malformed or longer header is read as far as it goes and never answered.
 * A connection whose client ends it before that is closed.
 *
 * @param done - Receives the address of the client, as binary text; undefined if no header names one.
 */
export function readProxyHeader(socket: Socket, done: (address: ArrayBuffer | undefined) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const close = (): void => void socket.destroy();
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const header = parse(bytes);
    if (header === 'incomplete') return;
    socket.off('readable', read);
    if (header === 'invalid') {
      socket.resume();
      return;
    }
    socket.off('end', close).off('error', close);
    const rest = bytes.subarray(header.length);
    if (rest.length > 0) socket.unshift(rest);
    done(header.address);
  };
  socket.on('readable', read);
  // Node emits a fault of TLS without closing the connection.
  socket.once('end', close).once('error', close);
}

interface Header {
  readonly length: number;
  readonly address: ArrayBuffer | undefined;
}

function parse(bytes: Buffer): Header | 'incomplete' | 'invalid' {
  const shared = Math.min(bytes.length, SIGNATURE.length);
  if (!bytes.subarray(0, shared).equals(SIGNATURE.subarray(0, shared)))
    return { length: 0, address: undefined };
  if (bytes.length < FIXED_BYTES) return 'incomplete';
  const [command = 0, family = 0] = bytes.subarray(SIGNATURE.length);
  const rest = bytes.readUInt16BE(FIXED_BYTES - 2);
  if (command >> 4 !== VERSION_2 || rest > MAX_REST_BYTES) return 'invalid';
  const length = FIXED_BYTES + rest;
  if (bytes.length < length) return 'incomplete';
  const addressBytes = ADDRESS_BYTES.get(family >> 4) ?? 0;
  const isNamed = (command & 0xf) === PROXY_COMMAND && addressBytes > 0 && rest >= addressBytes;
  const address = isNamed
    ? bytes.buffer.slice(bytes.byteOffset + FIXED_BYTES, bytes.byteOffset + FIXED_BYTES + addressBytes)
    : undefined;
  return { length, address: address as ArrayBuffer | undefined };
}
