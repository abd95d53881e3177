import type { ConnectionLog, SeenRequest } from './peers.ts';
import type { Packets } from './request-stream.ts';

/**
 * Compares our adapter with llhttp on the same bytes, and returns the rule that our adapter broke, or undefined:
 *
 * - A request that both accepted means the same, and our adapter serves none that llhttp does not have at that place of
 *   the stream. Our adapter may refuse more, and stop earlier.
 * - The body of a chunked request may differ: uWebSockets.js parses chunk sizes loosely and hides the lines with sizes.
 *   Such a request must be the last of its connection.
 * - After an answer that closes the connection, nothing else is written.
 */
export function violation(packets: Packets, ours: ConnectionLog, theirs: ConnectionLog): string | undefined {
  const last = ours.requests.length - 1;
  for (const [index, { seen }] of ours.requests.entries()) {
    if (seen === undefined) continue;
    const fault = difference(seen, theirs.requests[index]?.seen);
    if (fault === undefined) continue;
    if (fault === 'body' && seen.headers.has('transfer-encoding') && index === last) continue;
    if (!isHiddenByLibrary(packets) && !isRefusedByLlhttpAlone(packets))
      return `request ${index} was served, and differs: ${fault}`;
  }
  return wireFault(ours);
}

function difference(ours: SeenRequest, theirs: SeenRequest | undefined): string | undefined {
  if (theirs === undefined) return 'llhttp has no request there';
  if (ours.method !== theirs.method) return `method ${theirs.method}`;
  // spec/operations.md#targets
  const [, authority, path = theirs.target] = /^http:\/\/([^/?]*)(\/.*)$/s.exec(theirs.target) ?? [];
  if (ours.target !== path) return `target ${theirs.target}`;
  const names = new Set([...ours.headers.keys(), ...theirs.headers.keys()]);
  for (const name of names) {
    const value = name === 'host' && authority !== undefined ? authority : theirs.headers.get(name);
    if (ours.headers.get(name) !== value) return `header ${name}`;
  }
  return ours.body === theirs.body ? undefined : 'body';
}

/**
 * Whether the bytes contain what uWebSockets.js may parse differently without showing it to our code: it takes a field
 * line without a name as the end of the head, and on some platforms strips bytes from 0x80 off both ends of a value.
 */
function isHiddenByLibrary(packets: Packets): boolean {
  return /\r\n:|: *[\t ]*[\x80-\xff]|[\x80-\xff][\t ]*\r\n/.test(packets.join(''));
}

/** Whether a tab follows a length: a parser strips such white space (RFC 9110 section 5.5), but llhttp refuses it. */
function isRefusedByLlhttpAlone(packets: Packets): boolean {
  return /content-length:[^\r\n]*\t/i.test(packets.join(''));
}

function wireFault({ requests, wire }: ConnectionLog): string | undefined {
  let rest = wire;
  let count = 0;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end + 2);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) return 'the answers do not parse';
    rest = rest.slice(end + 4);
    if (status === 100) continue;
    const request = requests[count++];
    const isClosing = /\r\nconnection: close\r\n/i.test(head);
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    // an error page of uWebSockets.js has no length and is the last thing written
    if (length === undefined && status !== 204) rest = '';
    else if (request?.method !== 'HEAD') rest = rest.slice(Number(length ?? 0));
    if (isClosing && rest !== '') return 'something was written after the answer that closes';
  }
  return count > requests.length + 1 ? 'more answers than requests' : undefined;
}
