import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import type { Config } from '../settings/types.ts';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** PEM files of a certificate chain and its private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Returns both files, or undefined if the listener serves plain HTTP. */
export function tlsFilesOf({ certFile, keyFile }: Config['tls']): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/**
 * Reads a certificate and its key and checks that they fit together, since uWebSockets.js gives no reason for unusable
 * files.
 *
 * @returns The PEM of the certificate chain.
 * @throws ServiceError `tls.unreadable`
 */
export async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<Buffer> {
  const cert = await readPem('tls.certFile', certFile);
  const key = await readPem('tls.keyFile', keyFile);
  try {
    // Loaded on demand, because few commands need it.
    const { createSecureContext } = await import('node:tls');
    createSecureContext({ cert, key });
    return cert;
  } catch (error) {
    throw unreadable(`tls.certFile ${certFile} with tls.keyFile ${keyFile}`, error);
  }
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
    return await readFile(path);
  } catch (error) {
    throw unreadable(`${setting} ${path}`, error);
  }
}

function unreadable(files: string, error: unknown): ServiceError {
  const reason = messageOf(error);
  return new ServiceError('tls.unreadable', `${files}: ${reason}`, {}, { cause: error });
}
