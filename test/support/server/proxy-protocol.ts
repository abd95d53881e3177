/** Headers of the PROXY protocol, version 2 (HAProxy, `proxy-protocol.txt` section 2.2). */
import { isIP } from 'node:net';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const PROXY = 0x21;
const LOCAL = 0x20;

/**
 * A header with a TCP client over IPv4 or IPv6 (in full notation), followed by `extra`, the bytes of further
 * fields.
 */
export function proxyHeader(source: string, extra: Uint8Array = new Uint8Array()): Buffer {
  const isIpv4 = isIP(source) === 4;
  const address = isIpv4
    ? Buffer.from(source.split('.').map(Number))
    : Buffer.from(source.split(':').flatMap((group) => [...Buffer.from(group.padStart(4, '0'), 'hex')]));
  const ports = Buffer.from([0x04, 0xd2, 0x1f, 0x90]);
  return frame(
    PROXY,
    isIpv4 ? 0x11 : 0x21,
    Buffer.concat([address, Buffer.alloc(address.length), ports, extra]),
  );
}

/** A LOCAL header, as for health checks of the proxy itself; it names no client. */
export function localHeader(): Buffer {
  return frame(LOCAL, 0, Buffer.alloc(0));
}

function frame(command: number, family: number, payload: Buffer): Buffer {
  const head = Buffer.from([command, family, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([SIGNATURE, head, payload]);
}
