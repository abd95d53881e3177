import { createHash } from 'node:crypto';
import type { EmailForm } from '../config/apps/fields.ts';

// A tag, so that the digest is of no use elsewhere.
const TAG = 'proofgate placeholder address v1\n';
/** 160 bits: 32 digits of base 32. */
const DIGEST_BYTES = 20;
const DIGITS = 32;
/** Labels of letters, digits and hyphens, of which the last is no number (RFC 1123 section 2.1, RFC 3696 section 2). */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** With the local part and the `@`, the 254 characters of an address (RFC 5321 section 4.5.3.1.3). */
const MAX_DOMAIN_CHARACTERS = 220;
const MAX_LABEL_CHARACTERS = 63;

/**
 * Returns the placeholder address of a person (spec/sign-in.md#placeholder-addresses), whose mailbox does not exist.
 *
 * @param sub - `0x` and 64 hex digits; another one at each client.
 * @param hostname - Host of the issuer as URLs have it, without port.
 */
export function placeholderAddress(sub: string, hostname: string, form: EmailForm): string {
  return form === 'long' ? `${sub}@${hostname}` : `${shortLocalPart(sub)}@${domainOf(hostname)}`;
}

/** Letters and digits of one case, since mail systems do not keep the case; the first is a letter. */
function shortLocalPart(sub: string): string {
  const digest = createHash('sha256')
    .update(TAG)
    .update(sub)
    .digest('hex')
    .slice(0, DIGEST_BYTES * 2);
  return `p${BigInt(`0x${digest}`).toString(32).padStart(DIGITS, '0')}`;
}

/** Returns the host if it is a domain, else a name that never is one (RFC 6761 section 6.4). */
function domainOf(hostname: string): string {
  const host = hostname.replace(/\.$/, '');
  if (host.length <= MAX_DOMAIN_CHARACTERS && DOMAIN.test(host)) return host;
  const label = host.replaceAll(/[^a-z0-9]+/g, '-').slice(0, MAX_LABEL_CHARACTERS);
  return `${label.replaceAll(/^-|-$/g, '')}.invalid`;
}
