// Rules: spec/operations.md#reload
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chooseLibrary } from '../../src/http/library/load-http-library.ts';
import type { HttpServer, HttpServerSettings } from '../../src/http/server.ts';
import { makeCertificate, type TestCertificate } from '../support/server/certificate.ts';
import { openListener, testRoute } from '../support/server/test-listener.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';

const folder = temporaryFolder('tls-reload', afterAll);
const [first, second, third] = [0, 1, 2].map(() => ({ cert: '', key: '' })) as [
  TestCertificate,
  TestCertificate,
  TestCertificate,
];
const serialOf = ({ cert }: TestCertificate): string => new X509Certificate(cert).serialNumber;
const isUwsHere = chooseLibrary('auto', {}).facts.kind === 'uws';
const LIBRARIES = [
  { library: 'uws', note: isUwsHere ? '' : ' (skipped: no binary of uWebSockets.js loads here)' },
  { library: 'node', note: '' },
] as const;

beforeAll(async () => {
  for (const each of [first, second, third]) Object.assign(each, await makeCertificate('localhost'));
});

/** Files of a certificate as a tool for renewals keeps them. */
interface Place {
  readonly certFile: string;
  readonly keyFile: string;
  put(certificate: TestCertificate): void;
}

const write = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 });

/** Ways in which a tool replaces the files. */
const WAYS: Readonly<Record<string, (base: string) => Place>> = {
  'written in place': (base) => {
    const [certFile, keyFile] = [join(base, 'cert.pem'), join(base, 'key.pem')];
    return {
      certFile,
      keyFile,
      put({ cert, key }) {
        write(certFile, cert);
        write(keyFile, key);
      },
    };
  },
  'renamed over': (base) => {
    const [certFile, keyFile] = [join(base, 'cert.pem'), join(base, 'key.pem')];
    return {
      certFile,
      keyFile,
      put({ cert, key }) {
        write(`${certFile}.new`, cert);
        write(`${keyFile}.new`, key);
        renameSync(`${keyFile}.new`, keyFile);
        renameSync(`${certFile}.new`, certFile);
      },
    };
  },
  'behind a link to a folder, as Kubernetes mounts a secret': (base) => {
    symlinkSync('..data/tls.crt', join(base, 'tls.crt'));
    symlinkSync('..data/tls.key', join(base, 'tls.key'));
    return {
      certFile: join(base, 'tls.crt'),
      keyFile: join(base, 'tls.key'),
      put({ cert, key }) {
        const version = mkdtempSync(join(base, '..version-'));
        write(join(version, 'tls.crt'), cert);
        write(join(version, 'tls.key'), key);
        symlinkSync(version, join(base, '..data_tmp'));
        renameSync(join(base, '..data_tmp'), join(base, '..data'));
      },
    };
  },
  'links to an archive, as certbot keeps them': (base) => {
    let version = 0;
    mkdirSync(join(base, 'archive'));
    const [certFile, keyFile] = [join(base, 'fullchain.pem'), join(base, 'privkey.pem')];
    return {
      certFile,
      keyFile,
      put({ cert, key }) {
        version++;
        for (const [link, name, text] of [
          [keyFile, `privkey${version}.pem`, key],
          [certFile, `fullchain${version}.pem`, cert],
        ] as const) {
          write(join(base, 'archive', name), text);
          rmSync(link, { force: true });
          symlinkSync(join('archive', name), link);
        }
      },
    };
  },
};

/** What can be wrong with the files; the certificate that is served must stay. */
const FAULTS: Readonly<Record<string, (place: Place) => void>> = {
  'the key is of another certificate': ({ certFile }) => write(certFile, third.cert),
  'the certificate is half written': ({ certFile }) =>
    write(certFile, third.cert.slice(0, third.cert.length / 2)),
  'the key is half written': ({ keyFile }) => write(keyFile, third.key.slice(0, third.key.length / 2)),
  'the certificate is empty': ({ certFile }) => write(certFile, ''),
  'the key is gone': ({ keyFile }) => rmSync(keyFile),
  'both are gone': ({ certFile, keyFile }) => {
    rmSync(certFile);
    rmSync(keyFile);
  },
  'the key cannot be read': ({ keyFile }) => {
    rmSync(keyFile);
    mkdirSync(keyFile);
  },
  'both hold something else': ({ certFile, keyFile }) => {
    write(certFile, 'hello');
    write(keyFile, '\0'.repeat(1000));
  },
};

interface Connection {
  readonly socket: TLSSocket;
  readonly serial: string;
  /** Sends a request; returns the status. */
  ask(): Promise<string>;
}

/** Opens a connection. @param servername - Sent as SNI; none if empty */
async function open(port: number, servername = '', session?: Buffer): Promise<Connection> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...(servername === '' ? {} : { servername }),
    ...(session === undefined ? {} : { session }),
  });
  await once(socket, 'secureConnect');
  return {
    socket,
    serial: socket.getPeerX509Certificate()?.serialNumber ?? '',
    ask: () =>
      new Promise((resolve, reject) => {
        socket.once('data', (text) => resolve(String(text).split(' ')[1] ?? ''));
        socket.once('error', reject).once('close', () => reject(new Error('closed')));
        socket.write('GET /t HTTP/1.1\r\nHost: localhost\r\n\r\n');
      }),
  };
}

async function servedBy(port: number, servername = ''): Promise<string> {
  const { socket, serial } = await open(port, servername);
  socket.destroy();
  return serial;
}

describe.each(LIBRARIES)('a listener with TLS on $library$note', ({ library }) => {
  const run = it.skipIf(library === 'uws' && !isUwsHere);

  /** Opens a listener with the first certificate. */
  const serve = async (
    way: (base: string) => Place = Object.values(WAYS)[0] as (base: string) => Place,
    limits: Partial<HttpServerSettings['limits']> = {},
  ): Promise<{ place: Place; server: HttpServer; port: number }> => {
    const place = way(mkdtempSync(join(folder, 'files-')));
    place.put(first);
    const route = testRoute('GET', '/t', () => ({ status: 200, body: '' }));
    const tls = { certFile: place.certFile, keyFile: place.keyFile };
    const { server, port } = await openListener([route], { tls, limits: { library, ...limits } });
    return { place, server, port };
  };

  run.each(Object.entries(WAYS))('serves a renewed certificate to all who connect: %s', async (_, way) => {
    const { place, server, port } = await serve(way);
    const early = await open(port);
    expect(await early.ask()).toBe('200');
    expect(early.serial).toBe(serialOf(first));
    expect(await server.reloadCertificate()).toBe(false);
    for (const certificate of [second, third]) {
      place.put(certificate);
      expect(await server.reloadCertificate()).toBe(true);
      expect(await server.reloadCertificate()).toBe(false);
      const serial = serialOf(certificate);
      expect([
        await servedBy(port),
        await servedBy(port, 'localhost'),
        await servedBy(port, 'a.b.c'),
      ]).toEqual([serial, serial, serial]);
      expect(server.certificateExpiresAt).toBe(Date.parse(new X509Certificate(certificate.cert).validTo));
      expect(await early.ask()).toBe('200');
    }
    early.socket.destroy();
  });

  run('keeps to the bound of connections after a renewal, however many wait', async () => {
    const { place, server, port } = await serve(undefined, { maxConnections: 4 });
    place.put(second);
    expect(await server.reloadCertificate()).toBe(true);
    let closed = 0;
    const sockets = Array.from({ length: 12 }, () =>
      connectPlain(port, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => closed++),
    );
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await pollUntil(() => closed >= 8);
    expect(server.load().connections).toBeLessThanOrEqual(4);
  });

  run.each(Object.entries(FAULTS))(
    'keeps the certificate while %s, and takes one that fits',
    async (_, harm) => {
      const { place, server, port } = await serve();
      harm(place);
      await expect(server.reloadCertificate()).rejects.toMatchObject({ code: 'tls.unreadable' });
      expect([await servedBy(port), await servedBy(port, 'localhost')]).toEqual([
        serialOf(first),
        serialOf(first),
      ]);
      expect(server.certificateExpiresAt).toBe(Date.parse(new X509Certificate(first.cert).validTo));
      rmSync(place.keyFile, { recursive: true, force: true });
      place.put(second);
      expect(await server.reloadCertificate()).toBe(true);
      expect([await servedBy(port), await servedBy(port, 'localhost')]).toEqual([
        serialOf(second),
        serialOf(second),
      ]);
    },
  );

  run('takes a renewed key of the same certificate, and forgets sessions of before', async () => {
    const { place, server, port } = await serve();
    const early = await open(port, 'localhost');
    const [session] = (await Promise.all([once(early.socket, 'session'), early.ask()]))[0] as [Buffer];
    early.socket.destroy();
    place.put(second);
    await server.reloadCertificate();
    const late = await open(port, 'localhost', session);
    expect([late.socket.isSessionReused(), late.serial]).toEqual([false, serialOf(second)]);
    late.socket.destroy();
  });

  run('drops no connection and no request in twenty renewals under load', async () => {
    const { place, server, port } = await serve();
    let isOver = false;
    const statuses: Record<string, number> = {};
    const fail = (error: unknown): void => {
      statuses[String(error)] = (statuses[String(error)] ?? 0) + 1;
    };
    const client = async (servername: string, requests: number): Promise<void> => {
      while (!isOver) {
        try {
          const connection = await open(port, servername);
          for (let count = 0; count < requests && !isOver; count++) {
            const status = await connection.ask();
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
          connection.socket.destroy();
        } catch (error) {
          fail(error);
        }
      }
    };
    const clients = [1, 1, 5, 500].flatMap((requests) => [
      client('', requests),
      client('localhost', requests),
    ]);
    for (let renewal = 0; renewal < 20; renewal++) {
      const served = statuses['200'] ?? 0;
      place.put(renewal % 2 === 0 ? second : first);
      expect(await server.reloadCertificate()).toBe(true);
      while ((statuses['200'] ?? 0) < served + 20) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    isOver = true;
    await Promise.all(clients);
    expect(Object.keys(statuses)).toEqual(['200']);
  });

  run('has the renewed certificate after it stopped listening and listens again', async () => {
    const { place } = await serve();
    const tls = (certificate: TestCertificate) => {
      place.put(certificate);
      const { certFile, keyFile } = place;
      return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
    };
    const app = chooseLibrary(library, {}).library.createApp({
      tls: tls(first),
      readsProxyProtocol: false,
      keepAliveSeconds: 10,
      onRequest: (res) => res.close(),
      onOpened: () => undefined,
      onClosed: () => undefined,
    });
    onTestFinished(() => app.close());
    const chosen = await app.listen('127.0.0.1', 0);
    const port = chosen?.port ?? 0;
    chosen?.close();
    const socket = await app.listen('127.0.0.1', port);
    app.replaceCertificate(tls(second));
    socket?.close();
    await app.listen('127.0.0.1', port);
    expect([await servedBy(port), await servedBy(port, 'localhost')]).toEqual([
      serialOf(second),
      serialOf(second),
    ]);
    const broken = tls(third);
    write(place.certFile, first.cert);
    const given = { ...broken, cert: readFileSync(place.certFile) };
    expect(() => app.replaceCertificate(given)).toThrow();
    expect(await servedBy(port)).toBe(serialOf(second));
  });

  run('does nothing without TLS', async () => {
    const { server } = await openListener([], { limits: { library } });
    expect(await server.reloadCertificate()).toBe(false);
    expect(server.certificateExpiresAt).toBeUndefined();
  });
});

it('files that another user may not read are refused with their name', async () => {
  const place = (WAYS['written in place'] as (base: string) => Place)(mkdtempSync(join(folder, 'files-')));
  place.put(first);
  chmodSync(place.keyFile, 0o000);
  const isRoot = process.getuid?.() === 0;
  const opening = openListener([], { tls: { certFile: place.certFile, keyFile: place.keyFile } });
  if (isRoot) await opening;
  else await expect(opening).rejects.toThrow(`tls.keyFile ${place.keyFile}: EACCES`);
});
