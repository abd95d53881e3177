import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../../../src/config/settings/types.ts';
import { freePort } from '../../../support/free-port.ts';
import { makeCertificate } from '../../../support/server/certificate.ts';
import { RawClient } from '../../../support/server/raw-client.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../.deploy/', import.meta.url));

/** Paths and ports that replace those of an operator in an example. */
interface Surroundings {
  readonly folder: string;
  /** Port of the proxy. */
  readonly port: number;
  /** Another free port. */
  readonly sparePort: number;
  readonly servicePort: number;
}

/** An example of `.deploy`. */
export interface ProxyExample {
  readonly name: string;
  /** Executable of the proxy, which may not be installed. */
  readonly program: string;
  /** Proofgate settings that the example names. */
  readonly settings: Config['proxy'];
  /** Writes the configuration; returns the arguments of the program. */
  readonly prepare: (surroundings: Surroundings) => readonly string[];
}

const BY_HEADER: Config['proxy'] = { trusted: ['127.0.0.1'], header: 'x-forwarded-for', protocolV2: false };

/** All examples. Only host name, ports, certificate and log files are replaced. */
export const PROXY_EXAMPLES: readonly ProxyExample[] = [
  {
    name: 'HAProxy, haproxy.cfg',
    program: 'haproxy',
    settings: BY_HEADER,
    prepare: (surroundings) => haproxy('haproxy/haproxy.cfg', surroundings),
  },
  {
    name: 'HAProxy, proxy-v2.cfg',
    program: 'haproxy',
    settings: { trusted: ['127.0.0.1'], header: 'none', protocolV2: true },
    prepare: (surroundings) => haproxy('haproxy/proxy-v2.cfg', surroundings),
  },
  { name: 'nginx, proofgate.conf', program: 'nginx', settings: BY_HEADER, prepare: nginx },
  { name: 'Caddy, Caddyfile', program: 'caddy', settings: BY_HEADER, prepare: caddy },
];

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A running proxy in front of a service. */
export interface RunningProxy {
  /** Opens a client connection to the proxy. */
  connect(): Promise<RawClient>;
  stop(): Promise<void>;
}

/** Starts an example in front of a local service, and waits until it listens. */
export async function startProxy(example: ProxyExample, servicePort: number): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-proxy-'));
  const { cert, key } = await makeCertificate('localhost');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  writeFileSync(join(folder, 'cert-and-key.pem'), cert + key, { mode: 0o600 });
  const [port, sparePort] = [await freePort(), await freePort()];
  const args = example.prepare({ folder, port, sparePort, servicePort });
  const child = spawn(example.program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const open = async (): Promise<RawClient> => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: cert });
    await once(socket, 'secureConnect');
    return new RawClient(socket);
  };
  await untilListening(child, open, () => Buffer.concat(output).toString());
  return {
    connect: open,
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilListening(
  child: ChildProcess,
  open: () => Promise<RawClient>,
  output: () => string,
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended:\n${output()}`);
    try {
      (await open()).destroy();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function haproxy(example: string, { folder, port, servicePort }: Surroundings): readonly string[] {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    replaced(example, [
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/ssl/proofgate/', `${folder}/`],
      ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
      ['id.example.org', 'localhost'],
    ]),
  );
  return ['-db', '-f', file];
}

function nginx({ folder, port, sparePort, servicePort }: Surroundings): readonly string[] {
  const text = replaced('nginx/proofgate.conf', [
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen 80', `listen 127.0.0.1:${sparePort}`],
    ['/etc/ssl/proofgate/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
    ['id.example.org', 'localhost'],
  ]);
  writeFileSync(join(folder, 'proofgate.conf'), text);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
  // one process, under the test's user, so that one signal ends it
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents { }\nhttp { ${temporary} include ${folder}/proofgate.conf; }\n`,
  );
  return ['-p', folder, '-c', join(folder, 'nginx.conf')];
}

function caddy({ folder, port, servicePort }: Surroundings): readonly string[] {
  const text = replaced('caddy/Caddyfile', [
    ['\nid.example.org {', `\nhttps://localhost:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
  ]);
  mkdirSync(join(folder, 'caddy'));
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n${text}`);
  return ['run', '--config', file, '--adapter', 'caddyfile'];
}

/** Returns the text of an example with parts replaced; throws if one is missing. */
function replaced(example: string, parts: readonly (readonly [from: string, to: string])[]): string {
  return parts.reduce(
    (text, [from, to]) => {
      if (!text.includes(from))
        throw new Error(`.deploy/${example} does not contain ${JSON.stringify(from)}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(EXAMPLES, example), 'utf8'),
  );
}
