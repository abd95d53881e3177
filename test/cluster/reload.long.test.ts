// Rules: spec/operations.md#reload
import { X509Certificate } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/server/certificate.ts';
import { SECRET_HMAC_KEY, type TestClient } from '../support/signin/clients.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';
import type { Cluster } from './support/cluster.ts';
import { ALL_SERVED, ClusterLoad } from './support/cluster-load.ts';
import { CLUSTER_SKIP, isClusterPossible, startLoadedCluster } from './support/loaded-cluster.ts';

const NODES = [0, 1, 2];
const key32 = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const RENEWALS = 5;
const ROTATIONS = 4;

/** Serial number of the certificate that a port serves. @param servername - Sent as SNI; none if empty */
function servedBy(port: number, servername = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const sni = servername === '' ? {} : { servername };
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...sni }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe.skipIf(!isClusterPossible)(`three nodes under load${CLUSTER_SKIP}`, () => {
  const folder = temporaryFolder('cluster-reload', afterAll);
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const login = { user: 'svc', passwordFile: join(folder, 'password') };
  let cluster: Cluster;
  let client: TestClient;

  /** Writes a file as a renewal does: beside it, then over it. */
  const put = (path: string, text: string): void => {
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };

  /** Renews the certificate; returns its serial number. */
  const renew = async (): Promise<string> => {
    const { cert, key } = await makeCertificate('localhost');
    put(tls.keyFile, key);
    put(tls.certFile, cert);
    return new X509Certificate(cert).serialNumber;
  };

  /** Runs work under load; no request may fail. */
  const underLoad = async (seed: string, work: (load: ClusterLoad) => Promise<void>): Promise<void> => {
    const load = await ClusterLoad.create(cluster, client, seed, 'balancer only');
    load.start();
    await load.untilServed();
    await work(load);
    await load.untilSeen(ALL_SERVED);
    await load.stop();
    await load.close();
    const { counts, faults, refusals } = load.ledger;
    console.log(seed, counts);
    expect([...faults, ...refusals]).toEqual([]);
    expect(Object.keys(counts).sort()).toEqual(ALL_SERVED);
  };

  beforeAll(async () => {
    await renew();
    put(login.passwordFile, 'first');
    ({ cluster, client } = await startLoadedCluster({
      nodes: NODES.length,
      isSynchronous: true,
      tls,
      login,
      // What is late on a busy machine is no failed login.
      env: { PROOFGATE_STORAGE_TIMEOUT_MS: '20000' },
    }));
  });

  afterAll(() => cluster?.end());

  it('serve each renewed certificate after SIGHUP without a failed request', async () => {
    await underLoad('renewals', async (load) => {
      for (let renewal = 0; renewal < RENEWALS; renewal++) {
        const serial = await renew();
        for (const { child } of cluster.nodes) child.kill('SIGHUP');
        for (const port of cluster.nodePorts) {
          for (const name of ['', 'localhost']) {
            await pollUntil(async () => (await servedBy(port, name)) === serial);
          }
        }
        await load.untilServed(20);
      }
    });
  }, 300_000);

  it('find a renewed certificate by themselves', async () => {
    await underLoad('unasked', async () => {
      const serial = await renew();
      for (const port of cluster.nodePorts) await pollUntil(async () => (await servedBy(port)) === serial);
    });
  }, 300_000);

  it('log in with the changed password of the database, whether the file or the role is first, without a failed request', async () => {
    // Those that have been unused for a moment: a pool takes the last used one first.
    const cutUnused = `select pg_terminate_backend(pid) from pg_stat_activity
      where usename = '${login.user}' and state = 'idle' and state_change < now() - interval '400 ms'`;
    await underLoad('rotations', async (load) => {
      for (let rotation = 0; rotation < ROTATIONS; rotation++) {
        const isFileFirst = rotation % 2 === 0;
        const password = `rotation ${rotation}`;
        const [begun] = await cluster.primary.query('select clock_timestamp() as at');
        const since = begun?.at as Date;
        const setFile = (): void => put(login.passwordFile, password);
        const setRole = (): Promise<unknown> =>
          cluster.primary.query(`alter role ${login.user} password '${password}'`);
        if (isFileFirst) setFile();
        else await setRole();
        await cluster.primary.query(cutUnused);
        await delay(500);
        await cluster.primary.query(cutUnused);
        if (isFileFirst) await setRole();
        else setFile();
        await cluster.primary.query(cutUnused);
        const loggedIn = `select count(distinct client_port) as n from pg_stat_activity where usename = '${login.user}'
          and backend_start > '${since.toISOString()}'`;
        await pollUntil(async () => {
          await cluster.primary.query(cutUnused);
          return Number((await cluster.primary.query(loggedIn))[0]?.n) >= NODES.length;
        });
        await load.untilServed(20);
      }
    });
    await cluster.ready();
  }, 300_000);

  it('are given another master key and another key of client secrets, in three rounds, without a failed request', async () => {
    const former = key32(1);
    const rounds = [
      {
        PROOFGATE_KEYS_MASTER_KEY_PREVIOUS: key32(2),
        PROOFGATE_APPS_SECRET_HMAC_KEY_PREVIOUS: key32(3),
      },
      {
        PROOFGATE_KEYS_MASTER_KEY: key32(2),
        PROOFGATE_KEYS_MASTER_KEY_PREVIOUS: former,
        PROOFGATE_APPS_SECRET_HMAC_KEY: key32(3),
        PROOFGATE_APPS_SECRET_HMAC_KEY_PREVIOUS: SECRET_HMAC_KEY,
      },
      { PROOFGATE_KEYS_MASTER_KEY: key32(2), PROOFGATE_APPS_SECRET_HMAC_KEY: key32(3) },
    ];
    await underLoad('master key', async (load) => {
      for (const env of rounds) {
        for (const index of NODES) {
          expect(await cluster.endNode(index, 'SIGTERM')).toBe(0);
          await cluster.startNode(index, env);
          await cluster.ready();
          await load.untilServed(10);
        }
        await load.untilSeen(['token: 200'], (load.ledger.counts['token: 200'] ?? 0) + 3);
      }
    });
  }, 600_000);
});
