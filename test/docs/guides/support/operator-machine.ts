/**
 * A machine for the operator of production.md: a folder in place of `/`, free ports, and stand-ins for what needs root
 * or a running systemd. Everything else (the program, its settings, nginx, curl, openssl) is real.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeNextRelease } from '../../../cluster/support/next-release.ts';
import { ROOT, snippet } from './snippets.ts';

const GUIDE = 'production';
/** Folders that the block of the guide makes that tests do not run. */
const FOLDERS = ['/etc/proofgate', '/var/lib/proofgate', '/var/backups/proofgate'];
/** Folders that the packages of Debian make. */
const PACKAGE_FOLDERS = [
  '/etc/nginx/conf.d',
  '/etc/systemd/system',
  '/root',
  '/tmp',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/var/log/nginx',
];
/** This tree, and what its next release may be. */
const RELEASES = ['0.1.0', '0.2.0'] as const;
const ABSOLUTE = /(?<![\w./$])\/(?=(?:etc|opt|root|usr\/local|var)\/)/g;

/** The shell of an operator on a machine of its own. */
export interface OperatorMachine {
  /** Runs blocks of the guide in one shell that lives on, as an operator pastes them. Returns their output. */
  run(...files: string[]): Promise<string>;
  /** Runs a block of another guide in the same shell. */
  runOf(guide: string, file: string): Promise<string>;
  /** Runs other commands in the same shell. */
  runText(commands: string): Promise<string>;
  /** Installs a block as a program. */
  install(file: string, path: string): void;
  /** Path on this machine for one of the guide. */
  at(path: string): string;
  /** Log of the service so far. */
  log(): string;
  end(): Promise<void>;
}

/** Makes the machine as it is after the block that installs the program, which tests do not run. */
export async function makeOperatorMachine(): Promise<OperatorMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-operator-'));
  const [publicPort, adminPort, tlsPort, plainPort] = await fixedPorts();
  const at = (path: string): string => join(folder, path);
  /** Puts paths, ports and host name of this machine in place of those of the guide. */
  const local = (text: string): string =>
    text
      .replaceAll(ABSOLUTE, `${folder}/`)
      .replaceAll('https://$NAME', `https://localhost:${tlsPort}`)
      .replaceAll('NAME=id.example.org', 'NAME=localhost')
      .replaceAll('127.0.0.1:9090', `127.0.0.1:${adminPort}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${publicPort}`)
      .replaceAll('listen 443', `listen 127.0.0.1:${tlsPort}`)
      .replaceAll('listen 80', `listen 127.0.0.1:${plainPort}`);

  for (const path of [...FOLDERS, ...PACKAGE_FOLDERS])
    mkdirSync(at(path), { recursive: true, mode: FOLDERS.includes(path) ? 0o700 : 0o755 });
  const program = (path: string, text: string): void => {
    writeFileSync(at(path), text);
    chmodSync(at(path), 0o755);
  };
  const next = makeNextRelease();
  const dist = { '0.1.0': join(ROOT, 'dist'), '0.2.0': dirname(next.program) };
  for (const release of RELEASES) {
    const opt = `/opt/proofgate-${release}`;
    mkdirSync(at(opt), { recursive: true });
    symlinkSync(dist[release], at(`${opt}/dist`));
    cpSync(join(ROOT, '.deploy'), at(`${opt}/.deploy`), { recursive: true });
    for (const file of ['nginx/proofgate.conf', 'systemd/proofgate.service']) {
      const path = at(`${opt}/.deploy/${file}`);
      writeFileSync(path, local(readFileSync(path, 'utf8')));
    }
  }
  symlinkSync(at('/opt/proofgate-0.1.0'), at('/opt/proofgate'));
  program(
    '/usr/local/bin/proofgate',
    `#!/bin/sh\nexec '${process.execPath}' '${at('/opt/proofgate')}/dist/main.js' "$@"\n`,
  );
  program('/usr/local/bin/runuser', '#!/bin/sh\nshift 3\nexec "$@"\n');
  program('/usr/local/bin/systemctl', systemctl(folder));
  program('/usr/local/bin/journalctl', `#!/bin/sh\nexec cat ${folder}/service.log\n`);
  program('/usr/local/bin/nginx', nginx(folder));

  const env = {
    PATH: `${at('/usr/local/bin')}:${at('/usr/local/sbin')}:${process.env.PATH}`,
    HOME: at('/root'),
    TMPDIR: at('/tmp'),
    PROOFGATE_SERVER_PORT: String(publicPort),
    PROOFGATE_ADMIN_PORT: String(adminPort),
    PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '0',
  };
  const shell = spawn('bash', ['-euo', 'pipefail'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const feed = feedShell(shell);
  return {
    at,
    run: (...files) => feed(local(files.map((file) => snippet(GUIDE, file)).join('\n'))),
    runOf: (guide, file) => feed(local(snippet(guide, file))),
    runText: (commands) => feed(local(commands)),
    install: (file, path) => program(path, local(snippet(GUIDE, file))),
    log: () => (existsSync(at('/service.log')) ? readFileSync(at('/service.log'), 'utf8') : ''),
    async end() {
      // a block that failed or was cut off by a time limit has ended its shell, or keeps it busy
      if (shell.exitCode === null) {
        const exited = once(shell, 'exit');
        shell.kill('SIGKILL');
        await exited;
      }
      const stop = spawn(at('/usr/local/bin/systemctl'), ['stop', 'proofgate', 'nginx'], { env });
      await once(stop, 'exit');
      next.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns four free ports below those that the kernel gives to connections (from 32768 on), because the service must
 * find them free again after each restart.
 */
async function fixedPorts(): Promise<readonly [number, number, number, number]> {
  for (;;) {
    const first = randomInt(2500, 8000) * 4;
    const ports = [first, first + 1, first + 2, first + 3] as const;
    const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'));
    const opened = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    if (opened.every(({ status }) => status === 'fulfilled')) return ports;
  }
}

/** Runs commands in a shell that lives on. The promise rejects with all output when a command fails. */
function feedShell(shell: ChildProcess): (commands: string) => Promise<string> {
  let output = '';
  let isClosed = false;
  const closed = once(shell, 'close').then(() => {
    isClosed = true;
  });
  for (const stream of [shell.stdout, shell.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  let number = 0;
  return async (commands) => {
    const mark = `-- end of block ${number++} --`;
    output = '';
    if (isClosed) throw new Error('the shell has ended');
    shell.stdin?.write(`${commands}\necho '${mark}'\n`);
    const onMark = new Promise<void>((resolve) => {
      const look = (): void => {
        if (!output.includes(mark)) return;
        shell.stdout?.off('data', look);
        resolve();
      };
      shell.stdout?.on('data', look);
    });
    await Promise.race([onMark, closed]);
    if (!output.includes(mark)) throw new Error(`a command failed:\n${output}\n--- of\n${commands}`);
    return output.replace(`${mark}\n`, '');
  };
}

/** Stand-in for systemctl: starts the command of the installed unit with the variables of its file, and ends it. */
function systemctl(folder: string): string {
  return `#!/bin/bash
set -eu
unit=${folder}/etc/systemd/system/proofgate.service
stop_proofgate() {
  [ -f ${folder}/service.pid ] || return 0
  pid=$(cat ${folder}/service.pid)
  kill "$pid" 2> /dev/null || true
  while kill -0 "$pid" 2> /dev/null; do sleep 0.05; done
  rm ${folder}/service.pid
}
start_proofgate() {
  set -a
  . "$(sed -n 's/^EnvironmentFile=//p' "$unit")"
  set +a
  cd "$(sed -n 's/^WorkingDirectory=//p' "$unit")"
  command=$(sed -n 's|^ExecStart=/usr/bin/node|${process.execPath}|p' "$unit")
  $command >> ${folder}/service.log 2>&1 < /dev/null &
  echo $! > ${folder}/service.pid
}
stop_nginx() { [ ! -s ${folder}/nginx.pid ] || nginx -s stop; }
start_nginx() { nginx < /dev/null > /dev/null 2>&1; }
action=$1
shift
for name in "\${@#--now}"; do
  case "$action $name" in
    "daemon-reload "*|*" ") ;;
    "enable "*|"start "*) "start_$name" ;;
    "stop "*) "stop_$name" ;;
    "restart "*) "stop_$name"; "start_$name" ;;
    *) echo "the tests have no stand-in for systemctl $action" >&2; exit 1 ;;
  esac
done
`;
}

/** nginx with the main configuration of this machine in place of the one of its package. */
function nginx(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/tmp/${kind};`).join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;\nevents { }\nhttp { ${temporary} include ${folder}/etc/nginx/conf.d/*.conf; }\n`,
  );
  return `#!/bin/sh\nPATH=\${PATH#*:*:} exec nginx -p ${folder} -c ${folder}/nginx.conf -e ${folder}/nginx.log "$@"\n`;
}
