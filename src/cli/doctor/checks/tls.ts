import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Config } from '../../../config/settings/types.ts';
import { readCertificate, tlsFilesOf } from '../../../config/sources/tls-files.ts';
import { messageOf } from '../../../text.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const DAY_MS = 86_400_000;
const RENEW_DAYS = 21;
const RENEWAL = 'Renew the certificate: the service reads the files again by itself, and at SIGHUP.';

/**
 * Checks that the TLS files can be used and name the host of `baseUrl`, and for how long they are valid.
 *
 * @param now - Milliseconds since the epoch.
 */
export async function checkTls(
  { baseUrl, tls }: Pick<Config, 'baseUrl' | 'tls'>,
  now: number,
): Promise<CheckResult> {
  const files = tlsFilesOf(tls);
  if (files === undefined) return ok('tls', 'not in this process');
  try {
    const certificate = new X509Certificate((await readCertificate(files)).cert);
    return judge(certificate, new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), now);
  } catch (error) {
    return fail(
      'tls',
      messageOf(error),
      'Set tls.certFile and tls.keyFile to the PEM files of one certificate and its key.',
    );
  }
}

function judge(certificate: X509Certificate, host: string, now: number): CheckResult {
  const { validFrom, validTo } = certificate;
  const daysLeft = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  if (Date.parse(validFrom) > now) {
    return fail('tls', `valid from ${validFrom}`, 'Check the clock and the certificate.');
  }
  if (daysLeft < 0) return fail('tls', `expired ${validTo}`, RENEWAL);
  const names = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (names === undefined) {
    return fail('tls', `the certificate does not name ${host}, the host of baseUrl`, 'Get one that does.');
  }
  const detail = `names ${host}, valid until ${validTo} (${daysLeft} days)`;
  return daysLeft < RENEW_DAYS ? warn('tls', detail, RENEWAL) : ok('tls', detail);
}
