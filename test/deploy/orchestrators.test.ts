/** The Kubernetes manifests and the Helm chart, which must say the same, and the real service behind their probes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { type SharedApp, useSharedApp } from '../support/signin/shared-service.ts';
import { type Environment, environmentOf, examine, imageEnvironment } from './support/configuration.ts';
import {
  at,
  byName,
  DEPLOY,
  type Fields,
  fieldsAt,
  hasPythonModule,
  manifestsOf,
  type Node,
  parseYaml,
  run,
  textOf,
  toolOf,
  VERSION,
} from './support/manifests.ts';

const CHART = join(DEPLOY, 'helm/proofgate');
const REQUIRED = {
  existingSecret: 'proofgate',
  'settings.PROOFGATE_BASE_URL': 'https://id.example.org',
  'settings.PROOFGATE_STORAGE_URL': 'postgres://proofgate@postgres.example.internal/proofgate',
  'settings.PROOFGATE_PROXY_TRUSTED': '10.0.0.0/8',
  'settings.PROOFGATE_PROXY_HEADER': 'x-forwarded-for',
};
const JOB = {
  'migrations.run': 'job',
  'migrations.job.storageUrl': 'postgres://proofgate-owner@postgres.example.internal/proofgate',
  'migrations.job.existingSecret': 'proofgate-migration',
};
const helm = toolOf('helm');
const helmSkip = helm === undefined ? ' (helm is not installed)' : '';
const hasValidator = hasPythonModule('kubernetes_validate');

function renderText(values: Readonly<Record<string, string | number>>): string {
  // helm splits values at commas
  const settings = Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const args = ['template', 'proofgate', CHART, '--kube-version', '1.33.0', ...settings];
  const { code, output } = run(helm ?? '', args);
  if (code !== 0) throw new Error(output);
  return output;
}

const render = (values = {}): ReadonlyMap<string, Fields> =>
  byName(parseYaml(renderText({ ...REQUIRED, ...values })));

/** Variables of a container: those of the ConfigMap, the pod's address, what the image sets. */
function variablesOf(manifests: ReadonlyMap<string, Fields>, container: Fields): Environment {
  const own = container.env as readonly Fields[];
  const settled = own.map(({ name, value }) => [String(name), String(value ?? '10.20.30.40')] as const);
  const shared =
    container.envFrom === undefined
      ? {}
      : environmentOf(fieldsAt(manifests.get('ConfigMap/proofgate'), 'data'));
  return { ...imageEnvironment('production'), ...shared, ...Object.fromEntries(settled) };
}

const podOf = (workload: Fields | undefined): Fields => fieldsAt(workload, 'spec', 'template', 'spec');
const containerOf = (workload: Fields | undefined): Fields => fieldsAt(podOf(workload), 'containers', 0);
const millicores = (cpu: Node | undefined): number =>
  String(cpu).endsWith('m') ? Number.parseInt(String(cpu), 10) : Number(cpu) * 1000;

function checkRestricted(workload: Fields | undefined): void {
  const pod = podOf(workload);
  expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 10001,
    runAsGroup: 10001,
    fsGroup: 10001,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(containerOf(workload).securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
}

/** Checks that each file that a variable names is a key of a mounted secret that only the group can read. */
function checkSecretFiles(
  workload: Fields | undefined,
  variables: Environment,
  keys: readonly string[],
): void {
  const mount = (containerOf(workload).volumeMounts as readonly Fields[]).find(
    ({ name }) => name === 'secrets',
  );
  expect(mount).toMatchObject({ readOnly: true });
  const volume = (podOf(workload).volumes as readonly Fields[]).find(({ name }) => name === 'secrets');
  expect(at(volume, 'secret', 'defaultMode')).toBe(0o440);
  const files = Object.entries(variables).filter(([name]) => name.endsWith('_FILE'));
  expect(files.map(([, path]) => path).sort()).toEqual(
    keys.map((key) => `${mount?.mountPath}/${key}`).sort(),
  );
}

const SOURCES = [
  { name: 'the Kubernetes manifests', skip: '', manifests: () => manifestsOf('kubernetes') },
  { name: `the Helm chart${helmSkip}`, skip: helmSkip, manifests: () => render(JOB) },
] as const;

describe.each(SOURCES)('$name', ({ skip, manifests: read }) => {
  describe.skipIf(skip !== '')('describe nodes that', () => {
    let deployment: Fields | undefined;
    let container: Fields;
    let app: SharedApp;
    const manifests = opened(read);
    beforeAll(async () => {
      deployment = manifests.get('Deployment/proofgate');
      container = containerOf(deployment);
      app = await useSharedApp();
    });

    it('start in production with nothing to complain about', async () => {
      const variables = variablesOf(manifests, container);
      expect((await examine(variables)).findings).toEqual([]);
      checkSecretFiles(deployment, variables, [
        'admin-token',
        'master-key',
        'signing-seed',
        'storage-password',
      ]);
    });

    it('have as many workers as processors, less one for the main thread', async () => {
      const { config } = await examine(variablesOf(manifests, container));
      const limit = millicores(at(container, 'resources', 'limits', 'cpu'));
      expect(config.engine.workers * 1000).toBe(limit - 1000);
      expect(millicores(at(container, 'resources', 'requests', 'cpu'))).toBeLessThanOrEqual(limit);
    });

    it('are given the time that a shutdown takes, and leave the balancer before they stop listening', async () => {
      const { shutdown } = (await examine(variablesOf(manifests, container))).config;
      const grace = Number(at(podOf(deployment), 'terminationGracePeriodSeconds')) * 1000;
      expect(grace).toBeGreaterThanOrEqual(shutdown.drainDelayMs + shutdown.timeoutMs + 5000);
      const { periodSeconds, failureThreshold } = container.readinessProbe as Fields;
      const notice = Number(periodSeconds) * Number(failureThreshold) * 1000;
      expect(shutdown.drainDelayMs).toBeGreaterThan(notice);
    });

    it('answer at the ports and paths of their probes', async () => {
      const { config } = await examine(variablesOf(manifests, container));
      expect(container.ports).toEqual([
        { name: 'public', containerPort: config.server.port },
        { name: 'admin', containerPort: config.admin.port },
      ]);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { path, port } = fieldsAt(container, probe, 'httpGet');
        expect(port, probe).toBe('admin');
        expect((await fetch(`${app.adminUrl}${path}`)).status, probe).toBe(200);
      }
    });

    it('run restricted, with a writable volume above the data folder alone', () => {
      checkRestricted(deployment);
      const mounts = container.volumeMounts as readonly Fields[];
      const dataDir = imageEnvironment('production').PROOFGATE_DATA_DIR ?? '';
      const writable = mounts.filter(({ readOnly }) => readOnly !== true);
      expect(writable.map(({ mountPath }) => `${mountPath}/data`)).toEqual([dataDir]);
    });

    it('are selected by services, budget and policy', () => {
      const labels = fieldsAt(deployment, 'spec', 'template', 'metadata', 'labels');
      for (const [name, selector] of [
        ['Deployment/proofgate', ['selector', 'matchLabels']],
        ['Service/proofgate', ['selector']],
        ['Service/proofgate-admin', ['selector']],
        ['PodDisruptionBudget/proofgate', ['selector', 'matchLabels']],
        ['NetworkPolicy/proofgate', ['podSelector', 'matchLabels']],
      ] as const) {
        expect(labels, name).toMatchObject(fieldsAt(manifests.get(name), 'spec', ...selector));
      }
      const policy = at(manifests.get('NetworkPolicy/proofgate'), 'spec', 'ingress') as readonly Fields[];
      expect(policy.map(({ ports }) => at(ports as Node, 0, 'port'))).toEqual(['public', 'admin']);
      expect(policy.every(({ from }) => from !== undefined)).toBe(true);
    });

    it('can have their migrations applied by a job', async () => {
      const job = manifests.get('Job/proofgate-migration');
      checkRestricted(job);
      const variables = variablesOf(manifests, containerOf(job));
      checkSecretFiles(job, variables, ['storage-password']);
      expect(containerOf(job).args).toEqual(['migrate', 'up']);
      const { config } = await examine(variables);
      expect(config.storage.url).toMatch(/^postgres:/);
      expect(config.storage.password).toBeDefined();
      expect(containerOf(job).image).toBe(container.image);
    });

    it(`are valid objects of Kubernetes${hasValidator ? '' : ' (kubernetes-validate is not installed)'}`, (test) => {
      test.skip(!hasValidator);
      const text = [...manifests.values()].map((each) => JSON.stringify(each)).join('\n---\n');
      const args = ['-m', 'kubernetes_validate', '--strict', '-k', '1.33', '-'];
      const { code, output } = run('python3', args, text);
      expect(code, output).toBe(0);
      expect(output.match(/ passed /g)?.length).toBe(manifests.size);
    });
  });
});

it('the Kubernetes secret is an example without values', () => {
  const data = fieldsAt(manifestsOf('kubernetes').get('Secret/proofgate'), 'stringData');
  expect(new Set(Object.values(data))).toEqual(new Set(['']));
});

describe('the values of the chart', () => {
  const [defaults = {}] = parseYaml(textOf('helm/proofgate/values.yaml'));
  const check = new Ajv({ strict: false, allErrors: true }).compile(
    JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object,
  );
  const valid = {
    ...defaults,
    existingSecret: 'proofgate',
    settings: {
      PROOFGATE_BASE_URL: 'https://id.example.org',
      PROOFGATE_STORAGE_URL: 'postgres://proofgate@db/proofgate',
    },
  };

  it('have the version of the package', () => {
    const [chart] = parseYaml(textOf('helm/proofgate/Chart.yaml'));
    expect([chart?.version, chart?.appVersion]).toEqual([VERSION, VERSION]);
    expect(textOf('kubernetes/deployment.yaml')).toContain(`/proofgate:${VERSION}\n`);
  });

  it('are valid with the three that are required, and not without them', () => {
    expect(check(valid), JSON.stringify(check.errors)).toBe(true);
    expect(check(defaults)).toBe(false);
    expect(check.errors?.map(({ instancePath }) => instancePath)).toEqual(
      expect.arrayContaining([
        '/existingSecret',
        '/settings/PROOFGATE_BASE_URL',
        '/settings/PROOFGATE_STORAGE_URL',
      ]),
    );
  });

  it('take the folder of a socket for the database', () => {
    const url = 'postgres://proofgate@/proofgate?host=/cloudsql/project:region:instance';
    const settings = { ...valid.settings, PROOFGATE_STORAGE_URL: url };
    expect(check({ ...valid, settings }), JSON.stringify(check.errors)).toBe(true);
  });

  it.each([
    ['a secret', { settings: { ...valid.settings, PROOFGATE_KEYS_MASTER_KEY: 'x' } }],
    [
      'a password in a URL',
      { settings: { ...valid.settings, PROOFGATE_STORAGE_URL: 'postgres://a:b@db/x' } },
    ],
    [
      'a password in a parameter',
      { settings: { ...valid.settings, PROOFGATE_STORAGE_URL: 'postgres://a@db/x?password=b' } },
    ],
    [
      'a password of a proxy',
      { settings: { ...valid.settings, PROOFGATE_OUTGOING_PROXY: 'http://a:b@proxy:3128' } },
    ],
    [
      'workers that differ from the limit',
      { settings: { ...valid.settings, PROOFGATE_ENGINE_WORKERS: '4' } },
    ],
    ['a limit without a processor for the engine', { cpu: { request: 1, limit: 1 } }],
    ['a drain delay below the readiness probe', { shutdown: { drainDelayMs: 0, timeoutMs: 20000 } }],
    ['a job without a database', { migrations: { run: 'job', job: { storageUrl: '', existingSecret: '' } } }],
    ['an unknown value', { replica: 3 }],
  ])('refuse %s', (_name, change) => {
    expect(check({ ...valid, ...change })).toBe(false);
  });

  it.skipIf(helm === undefined)(`pass helm lint and reach the manifests${helmSkip}`, () => {
    const sets = Object.entries(REQUIRED).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    expect(run(helm ?? '', ['lint', '--strict', CHART, ...sets]).code).toBe(0);
    expect(() => renderText({})).toThrow('existingSecret');
    const scaled = render({ 'cpu.limit': 4, 'shutdown.timeoutMs': 60_000, replicas: 5 });
    const deployment = scaled.get('Deployment/proofgate');
    expect(at(scaled.get('ConfigMap/proofgate'), 'data', 'PROOFGATE_ENGINE_WORKERS')).toBe('3');
    expect(at(podOf(deployment), 'terminationGracePeriodSeconds')).toBe(75);
    expect(at(deployment, 'spec', 'replicas')).toBe(5);
    expect(containerOf(deployment).args).toEqual(['serve', '--migrate']);
    expect(scaled.has('Job/proofgate-migration')).toBe(false);
    expect(containerOf(render(JOB).get('Deployment/proofgate')).args).toEqual(['serve']);
  });

  it.skipIf(helm === undefined)(`have nodes speak TLS, and probes ask so${helmSkip}`, async () => {
    const schemesOf = (deployment: Fields | undefined): unknown[] =>
      ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
        (probe) => fieldsAt(containerOf(deployment), probe, 'httpGet').scheme,
      );
    expect(schemesOf(render().get('Deployment/proofgate'))).toEqual(['HTTP', 'HTTP', 'HTTP']);
    const manifests = render({ 'tls.existingSecret': 'proofgate-tls' });
    const deployment = manifests.get('Deployment/proofgate');
    expect(schemesOf(deployment)).toEqual(['HTTPS', 'HTTPS', 'HTTPS']);
    const volumes = podOf(deployment).volumes as readonly Fields[];
    expect(volumes.find(({ name }) => name === 'tls')).toMatchObject({
      secret: { secretName: 'proofgate-tls', defaultMode: 0o440 },
    });
    const variables = variablesOf(manifests, containerOf(deployment));
    const { config } = await examine({ ...variables, PROOFGATE_ADMIN_HOST: '203.0.113.7' });
    expect(config.tls).toEqual({ certFile: '/run/secrets/tls/tls.crt', keyFile: '/run/secrets/tls/tls.key' });
  });
});
