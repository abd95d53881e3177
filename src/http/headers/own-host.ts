import { parseAddress } from '../../addresses.ts';

const PORT = /:[0-9]*$/;

/**
 * Creates the check whether a `Host` header is that of a listener: IP addresses, `localhost`, names below it, and these
 * names. A page whose name was made to resolve to the address of the listener (DNS rebinding) has another one.
 */
export function createHostCheck(names: readonly string[]): (host: string) => boolean {
  const own = new Set(['localhost', ...names.map(plainName)]);
  return (host) => {
    const name = plainName(host.replace(PORT, ''));
    return own.has(name) || name.endsWith('.localhost') || parseAddress(name) !== undefined;
  };
}

/** Returns a host in lower case, without the brackets of an IPv6 address and the dot that may end a name. */
function plainName(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}
