import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ServiceError } from '../../errors/index.ts';
import { messageOf } from '../../text.ts';
import type { Config } from '../settings/types.ts';

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
 * Reads a certificate and its key and checks that they can be used together, since uWebSockets.js refuses unusable files
 * without a reason.
 *
 * @returns The PEM of the certificate chain.
 * @throws ServiceError `tls.unreadable`
 */
export async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<Buffer> {
  const cert = await readPem('tls.certFile', certFile);
  const key = await readPem('tls.keyFile', keyFile);
  try {
    createSecureContext({ cert, key });
    return cert;
  } catch (error) {
    throw unreadable(`tls.certFile ${certFile} with tls.keyFile ${keyFile}`, error);
  }
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
