// Rules: spec/operations.md#reload
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { makeCertificate } from '../../support/server/certificate.ts';
import { RawClient } from '../../support/server/raw-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { pollUntil } from '../../support/until.ts';
import { FrontEndService } from './support/front-end-service.ts';
import { KeptConnections } from './support/kept-connections.ts';

const FRONT_ENDS = 2;
const CONNECTIONS = 16;
const RENEWALS = 5;

const folder = temporaryFolder('changes', afterAll);
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), token: join(folder, 'token') };

/** Writes a file as a renewal does: beside it, then over it. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Renews the certificate; returns its serial number. */
async function renew(): Promise<string> {
  const { cert, key } = await makeCertificate('localhost');
  put(files.key, key);
  put(files.cert, cert);
  return new X509Certificate(cert).serialNumber;
}

async function openTls(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

/** Serial numbers of the certificates that new connections to all front ends see. */
async function served(port: number): Promise<Set<string>> {
  const sockets = await Promise.all(Array.from({ length: 3 * FRONT_ENDS }, () => openTls(port)));
  const serials = sockets.map((socket) => socket.getPeerX509Certificate()?.serialNumber ?? '');
  for (const socket of sockets) socket.destroy();
  return new Set(serials);
}

describe('several front ends under load', () => {
  const service = opened(async () => {
    await renew();
    put(files.token, 'first-metrics-token-0123456789');
    const made = await FrontEndService.create(FRONT_ENDS, {
      PROOFGATE_TLS_CERT_FILE: files.cert,
      PROOFGATE_TLS_KEY_FILE: files.key,
      PROOFGATE_METRICS_TOKEN_FILE: files.token,
      PROOFGATE_BASE_URL: 'https://localhost',
      PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '5000',
    });
    await made.prepare();
    await made.node.start();
    return made;
  }, 'end');
  const open = async (): Promise<RawClient> => new RawClient(await openTls(service.port));

  it('take over renewed certificates and settings at SIGHUP without a failed request', async () => {
    const kept = await KeptConnections.start(open, CONNECTIONS, 'renewals');
    for (let renewal = 0; renewal < RENEWALS; renewal++) {
      const before = kept.answered;
      const [serial, token] = [await renew(), `metrics-token-number-${renewal}-0123456789`];
      put(files.token, token);
      service.process.child.kill('SIGHUP');
      await pollUntil(async () => {
        const serials = await served(service.port);
        return serials.size === 1 && serials.has(serial);
      });
      await pollUntil(async () => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${service.process.adminUrl}/metrics`, { headers })).status === 200;
      });
      await pollUntil(() => kept.answered > before + 5 * CONNECTIONS);
    }
    await kept.stop();
    const acknowledged = await kept.audit();
    console.log(`${RENEWALS} renewals: ${kept.answered} answers, ${acknowledged} nullifiers`);
    expect([...kept.faults, ...kept.cuts, kept.unanswered]).toEqual([0]);
  });

  it('give a certificate that was renewed to a front end that replaces another', async () => {
    const serial = await renew();
    service.process.child.kill('SIGHUP');
    await pollUntil(async () => (await served(service.port)).has(serial));
    await service.fail(1, 'exit');
    await pollUntil(() => service.events('front_end.ready').length > FRONT_ENDS);
    expect(await served(service.port)).toEqual(new Set([serial]));
  });

  it('drain at SIGTERM without a failed request, and end with 0', async () => {
    const kept = await KeptConnections.start(open, CONNECTIONS, 'drain');
    await pollUntil(() => kept.answered > 3 * CONNECTIONS);
    service.process.child.kill('SIGTERM');
    await pollUntil(() => service.events('service.stopping').length > 0);
    const before = kept.answered;
    await pollUntil(() => kept.answered > before + 3 * CONNECTIONS);
    await kept.stop();
    expect([...kept.faults, ...kept.cuts, kept.unanswered]).toEqual([0]);
    expect(await service.process.end()).toEqual({ code: 0, signal: null });
  });
});
