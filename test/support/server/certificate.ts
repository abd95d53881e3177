import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A self-signed certificate and its key, both PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate for a host name or IP address with the installed `openssl`, valid from now. */
export async function makeCertificate(
  host: string,
  days = 30,
  key: readonly string[] = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'proofgate-certificate-'));
  try {
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const name = `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`;
    await promisify(execFile)('openssl', [
      'req',
      '-x509',
      '-newkey',
      ...key,
      '-nodes',
      '-days',
      String(days),
      '-subj',
      '/CN=proofgate-test',
      '-addext',
      `subjectAltName=${name}`,
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ]);
    return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
}
