import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '../../support/until.ts';

/** Whether HAProxy is installed. */
export const isBalancerInstalled: boolean = (() => {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A balancer before the nodes. */
export interface Balancer {
  readonly url: string;
  readonly pid: number;
  end(): Promise<void>;
}

/**
 * Starts HAProxy with the rules of `.deploy/haproxy/haproxy.cfg` for nodes, and faster checks. A request is sent to
 * another node only if the first one did not take the connection: it may otherwise be served twice. A check waits for a
 * slow answer, by default only until the next one is due: a node that stops refuses it or answers 503.
 *
 * @param isTls - Whether the nodes speak TLS; each request then has a connection of its own to a node, without SNI.
 */
export async function startBalancer(
  port: number,
  nodePorts: readonly number[],
  isTls = false,
): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-balancer-'));
  const file = join(folder, 'haproxy.cfg');
  const tls = isTls ? ' ssl verify none' : '';
  // With TLS it includes the handshake, which takes a node with much to do longer than the connection.
  const connectSeconds = isTls ? 10 : 1;
  const servers = nodePorts.map((each, index) => `  server node${index} 127.0.0.1:${each} check${tls}\n`);
  writeFileSync(
    file,
    `global
  maxconn 4000
  tune.bufsize 98304
defaults
  mode http
  timeout connect ${connectSeconds}s
  timeout client 30s
  timeout server 30s
  timeout check 30s
  option redispatch 1
  retries 3
  retry-on conn-failure
frontend public
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-For %[src]
  default_backend nodes
backend nodes
  option httpchk
  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  http-reuse never
  default-server inter 200ms fastinter 100ms downinter 200ms fall 2 rise 1
${servers.join('')}`,
  );
  const child: ChildProcess = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  await pollUntil(() => accepts(port));
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async end() {
      process.off('exit', kill);
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
