import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Environment, environmentOf, examine, imageEnvironment } from './support/configuration.ts';
import {
  at,
  DEPLOY,
  type Fields,
  fieldsAt,
  hasPythonModule,
  parseYaml,
  run,
  textOf,
  toolOf,
} from './support/manifests.ts';

const hasParser = hasPythonModule('compose_spec');
const haproxy = toolOf('haproxy');
const isRoot = process.getuid?.() === 0;

/** A compose file as the engine sees it: variables replaced, extensions merged and removed. */
function composeOf(name: string): Fields {
  const text = textOf(`compose/${name}`).replace(
    /\$\{PROOFGATE_BASE_URL:\?[^}]*\}/g,
    'https://id.example.org',
  );
  expect(text).not.toContain('${');
  const [file = {}] = parseYaml(text);
  return Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith('x-')));
}

const FILES = [
  { name: 'compose.yaml', stage: 'development', nodes: ['proofgate'] },
  { name: 'compose.cluster.yaml', stage: 'production', nodes: ['node-1', 'node-2', 'node-3'] },
] as const;

/** Names of the files that `make-secrets.sh` makes. */
function scriptSecrets(): string[] {
  return [...textOf('compose/make-secrets.sh').matchAll(/^ *put ([\w.-]+) /gm)].map(([, name]) => name ?? '');
}

describe.each(FILES)('$name', ({ name, stage, nodes }) => {
  let file: Fields;
  let services: Fields;
  const service = (of: string): Fields => fieldsAt(services, of);
  const variables = (of: string): Environment => ({
    ...imageEnvironment(stage),
    ...environmentOf(fieldsAt(service(of), 'environment')),
  });
  beforeAll(() => {
    file = composeOf(name);
    services = fieldsAt(file, 'services');
  });

  it(`is a compose file${hasParser ? '' : ' (compose-spec is not installed)'}`, (test) => {
    test.skip(!hasParser);
    // The parser knows a tag or a digest, engines accept both.
    const text = JSON.stringify(file).replace(/(docker\.io\/[\w/-]+):[\w.-]+@/g, '$1@');
    const program = 'import sys, compose_spec; compose_spec.PyCompose.from_json(sys.stdin.read()).validate()';
    expect(run('python3', ['-c', program], text)).toEqual({ code: 0, output: '' });
  });

  it.each(nodes)(
    'starts %s with nothing to complain about, and two processors for a worker',
    async (node) => {
      const { config, findings } = await examine(variables(node));
      expect(findings).toEqual([]);
      expect(config.profile).toBe(stage);
      expect(config.storage.url).toMatch(/^postgres:/);
      expect(config.engine.workers).toBe(
        Number(at(service(node), 'deploy', 'resources', 'limits', 'cpus')) - 1,
      );
      const { drainDelayMs, timeoutMs } = config.shutdown;
      const grace = Number.parseInt(String(service(node).stop_grace_period), 10) * 1000;
      expect(grace).toBeGreaterThanOrEqual(drainDelayMs + timeoutMs + 5000);
    },
  );

  it('gives each service the secrets that it names, which the script makes', () => {
    const made = scriptSecrets();
    const declared = Object.keys(fieldsAt(file, 'secrets'));
    for (const [key, secret] of Object.entries(fieldsAt(file, 'secrets'))) {
      expect(at(secret, 'file')).toBe(`./secrets/${key}`);
      expect(made).toContain(key);
    }
    const used = new Set<string>();
    for (const [of, each] of Object.entries(services)) {
      const named =
        JSON.stringify((each as Fields).environment ?? {}).match(/(?<=\/run\/secrets\/)[\w.-]+/g) ?? [];
      const given = ((each as Fields).secrets ?? []) as readonly string[];
      expect(given, of).toEqual(expect.arrayContaining(named));
      for (const secret of given) used.add(secret);
    }
    expect([...used].sort()).toEqual(declared.sort());
  });

  it('mounts files that exist', () => {
    const mounts = Object.values(services).flatMap(
      (each) => ((each as Fields).volumes ?? []) as readonly string[],
    );
    const paths = mounts.map((mount) => mount.split(':')).filter(([from = '']) => from.startsWith('.'));
    expect(paths.length).toBeGreaterThan(0);
    for (const [from = '', , mode] of paths) {
      expect(existsSync(join(DEPLOY, 'compose', from)), from).toBe(true);
      expect(mode, from).toBe('ro');
    }
  });

  it('pins foreign images and confines the containers of Proofgate', () => {
    for (const [of, each] of Object.entries(services)) {
      const image = String(at(each, 'image'));
      if (!image.startsWith('proofgate:')) {
        expect(image, of).toMatch(/^docker\.io\/[\w/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
        continue;
      }
      expect(image, of).toBe(`proofgate:${stage}`);
      expect(each, of).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });
});

describe('compose.yaml', () => {
  it('publishes ports on loopback only, because the profile is development', () => {
    const services = Object.values(fieldsAt(composeOf('compose.yaml'), 'services')) as Fields[];
    const ports = services.flatMap((each) => (each.ports ?? []) as readonly string[]);
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('lets Prometheus reach the service under the names that it knows', () => {
    const [prometheus] = parseYaml(textOf('compose/prometheus.yml'));
    const services = fieldsAt(composeOf('compose.yaml'), 'services');
    const target = String(at(prometheus, 'scrape_configs', 0, 'static_configs', 0, 'targets', 0));
    const [host = '', port] = target.split(':');
    expect(at(services, host, 'environment', 'PROOFGATE_ADMIN_HOST')).toBe('0.0.0.0');
    expect(at(services, host, 'ports')).toContain(`127.0.0.1:${port}:${port}`);
    const file = String(at(prometheus, 'scrape_configs', 0, 'authorization', 'credentials_file'));
    expect(at(services, 'prometheus', 'secrets')).toContain(file.replace('/run/secrets/', ''));
  });

  it('keeps what the service writes in the volume of the image', () => {
    const folder = imageEnvironment('development').PROOFGATE_DATA_DIR?.replace(/\/data$/, '');
    const proofgate = fieldsAt(composeOf('compose.yaml'), 'services', 'proofgate');
    expect(proofgate.volumes).toEqual([`proofgate-data:${folder}`]);
  });
});

describe('compose.cluster.yaml', () => {
  const file = (): Fields => composeOf('compose.cluster.yaml');

  it('gives each node a private address of its own for its admin listener, and trusts the balancer alone', () => {
    const services = fieldsAt(file(), 'services');
    const addresses = ['node-1', 'node-2', 'node-3'].map((node) => {
      const address = at(services, node, 'networks', 'operator', 'ipv4_address');
      expect(at(services, node, 'environment', 'PROOFGATE_ADMIN_HOST')).toBe(address);
      expect(at(services, node, 'environment', 'PROOFGATE_PROXY_TRUSTED')).toBe(
        at(services, 'balancer', 'networks', 'nodes', 'ipv4_address'),
      );
      return address;
    });
    expect(new Set(addresses).size).toBe(3);
  });

  it('migrates before a node starts', () => {
    const services = fieldsAt(file(), 'services');
    expect(at(services, 'migrations', 'command')).toEqual(['migrate', 'up']);
    expect(at(services, 'node-1', 'depends_on')).toEqual({
      migrations: { condition: 'service_completed_successfully' },
    });
  });
});

describe('make-secrets.sh', () => {
  const make = (folder: string): string =>
    execFileSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
  /** Copies the files of compose and makes their secrets; returns the folder, which is removed with the test. */
  function madeFolder(): string {
    const folder = temporaryFolder('secrets', onTestFinished);
    cpSync(join(DEPLOY, 'compose'), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('/secrets'),
    });
    make(folder);
    return folder;
  }

  it.skipIf(!isRoot)(
    `makes each secret for its reader alone, once${isRoot ? '' : ' (needs root)'}`,
    async () => {
      const folder = madeFolder();
      const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');
      const names = readdirSync(join(folder, 'secrets'));
      const before = names.map(secret);
      expect(make(folder)).toBe('');
      expect(names.map(secret)).toEqual(before);
      for (const name of names)
        expect(statSync(join(folder, 'secrets', name)).mode & 0o777, name).toBe(0o400);
      const owner = (name: string): number => statSync(join(folder, 'secrets', name)).uid;
      expect(['master-key', 'storage-password', 'relying-party-secret'].map(owner)).toEqual([
        10001, 10001, 10001,
      ]);
      expect(secret('storage-password')).toBe(secret('postgres-password'));
      expect(secret('prometheus-token')).toBe(secret('metrics-token'));
      expect(secret('metrics-token')).not.toBe(secret('admin-token'));
      const files = {
        PROOFGATE_ADMIN_TOKEN_FILE: 'admin-token',
        PROOFGATE_METRICS_TOKEN_FILE: 'metrics-token',
        PROOFGATE_KEYS_MASTER_KEY_FILE: 'master-key',
        PROOFGATE_REFRESH_SIGNING_SEED_FILE: 'signing-seed',
        PROOFGATE_STORAGE_PASSWORD_FILE: 'storage-password',
      };
      const { examineConfig } = await import('../../src/config/sources/load.ts');
      const env = Object.entries(files).map(([variable, file]) => [variable, join(folder, 'secrets', file)]);
      // The container runs as the reader, not as root.
      const options = { env: Object.fromEntries(env), cwd: folder, isRoot: false };
      const { faults, warnings } = await examineConfig(options);
      expect([...faults, ...warnings]).toEqual([]);
    },
  );

  const missing = haproxy === undefined ? 'haproxy is not installed' : isRoot ? undefined : 'needs root';
  it.skipIf(missing !== undefined)(
    `makes what the balancer needs to start${missing === undefined ? '' : ` (${missing})`}`,
    () => {
      const folder = madeFolder();
      const config = readFileSync(join(folder, 'haproxy.cfg'), 'utf8');
      const checkedFile = join(folder, 'checked.cfg');
      writeFileSync(checkedFile, config.replaceAll('/run/secrets', join(folder, 'secrets')));
      const checked = run(haproxy ?? '', ['-c', '-f', checkedFile]);
      expect(checked.code, checked.output).toBe(0);
    },
  );
});
