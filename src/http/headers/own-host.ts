import { parseAddress } from '../../addresses.ts';

const PORT = /:[0-9]*$/;

/**
 * Creates the check that a `Host` header names the listener: IP addresses, `localhost`, names below it, and these
 * names. Protects against DNS rebinding: a page whose host name resolves to the address of the listener sends another
 * name.
 */
export function createHostCheck(names: readonly string[]): (host: string) => boolean {
  const own = new Set(['localhost', ...names.map(plainName)]);
  return (host) => {
    const name = plainName(host.replace(PORT, ''));
    return own.has(name) || name.endsWith('.localhost') || parseAddress(name) !== undefined;
  };
}

/** Returns a host in lower case, without brackets around an IPv6 address and without a trailing dot. */
function plainName(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}
