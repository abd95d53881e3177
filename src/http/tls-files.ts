import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config/types.ts';
import { ServiceError } from '../errors/index.ts';

/** PEM files of a certificate chain and its private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Both files, or undefined where the listener speaks plain HTTP. */
export function tlsFilesOf({ certFile, keyFile }: Config['tls']): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

/**
 * Looks whether a certificate and a key can be used together: uWebSockets.js refuses those that cannot without saying
 * why.
 *
 * @throws ServiceError `tls.unreadable`
 */
export async function checkTlsFiles({ certFile, keyFile }: TlsFiles): Promise<void> {
  const cert = await readPem('tls.certFile', certFile);
  const key = await readPem('tls.keyFile', keyFile);
  try {
    createSecureContext({ cert, key });
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

function unreadable(what: string, error: unknown): ServiceError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError('tls.unreadable', `${what}: ${reason}`, {}, { cause: error });
}
