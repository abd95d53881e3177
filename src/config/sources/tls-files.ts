import { X509Certificate } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import type { Config } from '../settings/types.ts';
import { readAgain } from './file-contents.ts';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** PEM files of a certificate chain and its private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate chain in PEM that fits its private key, and the files they were read from. */
export interface Certificate extends TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Returns both files, or undefined if the listener serves plain HTTP. */
export function tlsFilesOf({ certFile, keyFile }: Config['tls']): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/**
 * Reads a certificate and its key and checks that they fit together, since uWebSockets.js gives no reason for unusable
 * files.
 *
 * @throws ServiceError `tls.unreadable`
 */
export async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<Certificate> {
  const cert = await readPem('tls.certFile', certFile);
  const key = await readPem('tls.keyFile', keyFile);
  try {
    // Loaded on demand, because few commands need it.
    const { createSecureContext } = await import('node:tls');
    createSecureContext({ cert, key });
    return { certFile, keyFile, cert, key };
  } catch (error) {
    throw unreadableTls(`tls.certFile ${certFile} with tls.keyFile ${keyFile}`, error);
  }
}

/** Whether two certificates have equal chains and keys. */
export function isSameCertificate(one: Certificate, other: Certificate): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}

/**
 * Returns the expiry of a certificate chain in PEM, in milliseconds since the epoch: the earliest one of its
 * certificates.
 */
export function chainExpiresAt(chain: Uint8Array): number {
  const certificates = Buffer.from(chain).toString('latin1').match(CERTIFICATE) ?? [];
  return Math.min(...certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
}

async function readPem(setting: string, path: string): Promise<Buffer> {
  try {
    return await readAgain(path);
  } catch (error) {
    throw unreadableTls(`${setting} ${path}`, error);
  }
}

/** Returns the error for TLS files that cannot be used. */
export function unreadableTls(files: string, error: unknown): ServiceError {
  const reason = messageOf(error);
  return new ServiceError('tls.unreadable', `${files}: ${reason}`, {}, { cause: error });
}
