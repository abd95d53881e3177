// Rules: spec/sign-in.md#placeholder-addresses
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeholderAddress } from '../../src/oidc/placeholder-address.ts';
import { ORB_SUB } from './support/test-keys.ts';
import { EMAIL_VALIDATORS } from './support/validators.ts';

const HOST = 'id.example.org';
const sub = fc
  .bigInt({ min: 0n, max: 2n ** 254n - 1n })
  .map((value) => `0x${value.toString(16).padStart(64, '0')}`);

function refusedBy(address: string): string[] {
  return Object.entries(EMAIL_VALIDATORS)
    .filter(([, accepts]) => !accepts(address))
    .map(([name]) => name);
}

describe('the short placeholder address', () => {
  it('is the same for the same sub in every release', () => {
    expect(placeholderAddress(ORB_SUB, HOST, 'short')).toBe(
      'pm03dmql7096ap3kpshq0f676saeeem2v@id.example.org',
    );
  });

  it('is accepted by the usual validators, for every sub', () => {
    fc.assert(fc.property(sub, (value) => refusedBy(placeholderAddress(value, HOST, 'short')).length === 0));
  });

  it('has 33 letters and digits of one case before the @, of which the first is a letter', () => {
    fc.assert(
      fc.property(sub, (value) =>
        /^p[0-9a-v]{32}@id\.example\.org$/.test(placeholderAddress(value, HOST, 'short')),
      ),
    );
  });

  it('is another one for another sub, and shows none of its digits', () => {
    fc.assert(
      fc.property(sub, sub, (one, other) => {
        const address = placeholderAddress(one, HOST, 'short');
        const isShared = address === placeholderAddress(other, HOST, 'short');
        return isShared === (one === other) && !address.includes(one.slice(2, 18));
      }),
    );
  });

  it.each([
    ['localhost', 'localhost.invalid'],
    ['id', 'id.invalid'],
    ['127.0.0.1', '127-0-0-1.invalid'],
    ['[::1]', '1.invalid'],
    ['[2001:db8::1]', '2001-db8-1.invalid'],
    ['my_id.example.org', 'my-id-example-org.invalid'],
    [`${'a'.repeat(60)}.`.repeat(4).concat('example.org'), `${'a'.repeat(60)}-aa.invalid`],
  ])('has, at the issuer host %s, which is no domain of an address, the domain %s', (host, domain) => {
    const address = placeholderAddress(ORB_SUB, host, 'short');
    expect(address.split('@')[1]).toBe(domain);
    // Neither is a top-level domain of the list that joi has.
    expect(refusedBy(address)).toEqual(['joi']);
  });

  it.each([
    ['id.example.org.', 'id.example.org'],
    ['xn--bcher-kva.example.org', 'xn--bcher-kva.example.org'],
    ['id.xn--p1ai', 'id.xn--p1ai'],
  ])('has, at the issuer host %s, the domain %s', (host, domain) => {
    const address = placeholderAddress(ORB_SUB, host, 'short');
    expect([address.split('@')[1], refusedBy(address)]).toEqual([domain, []]);
  });
});

describe('the long placeholder address', () => {
  it('is the sub at the issuer host, whatever that is', () => {
    for (const host of [HOST, 'localhost', '[::1]']) {
      expect(placeholderAddress(ORB_SUB, host, 'long')).toBe(`${ORB_SUB}@${host}`);
    }
  });

  it('is refused by those validators that relying parties need the short form for', () => {
    expect(refusedBy(placeholderAddress(ORB_SUB, HOST, 'long'))).toEqual([
      'validator.js',
      'joi',
      'RFC 5321',
      'Hibernate Validator and Keycloak',
    ]);
  });
});
