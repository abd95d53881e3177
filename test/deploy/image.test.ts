import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkNode } from '../../src/cli/doctor/checks/platform.ts';
import { TRIED_NODES } from '../../src/version.ts';
import { imageEnvironment } from './support/configuration.ts';
import { DEPLOY, NODE_FLAGS, REPOSITORY, run, textOf, toolOf } from './support/manifests.ts';

const instructions = textOf('docker/Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '');
const withName = (name: string): string[] =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length).trim());
const listOf = (name: string): string[] => JSON.parse(withName(name)[0] ?? '[]') as string[];
/** Instructions from the stage that both images share to the end: what is in an image that runs. */
const runtime = instructions.slice(instructions.findIndex((line) => line.endsWith(' AS base')));
const hadolint = toolOf('hadolint');

/** Sources of COPY instructions that come from the repository. */
function copied(): string[] {
  return withName('COPY')
    .filter((line) => !line.startsWith('--from='))
    .flatMap((line) => line.split(/\s+/).slice(0, -1));
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

describe('the Dockerfile', () => {
  it('pins each base image by digest', () => {
    const bases = withName('ARG').filter((line) => line.includes('_IMAGE'));
    expect(bases.length).toBe(2);
    for (const base of bases) expect(base).toMatch(/^\w+=[\w.\-/]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    const stages = withName('FROM').map((line) => line.split(' ')[0]);
    const names = withName('FROM').map((line) => line.split(' AS ')[1]);
    expect(stages.filter((from) => !from?.startsWith('${') && !names.includes(from))).toEqual([]);
  });

  it('is told the commit by each command that builds it, since it has no repository', () => {
    const files = [
      'docker/Dockerfile',
      'docker/README.md',
      'compose/README.md',
      'compose/compose.cluster.yaml',
    ];
    for (const file of files) {
      const commands = textOf(file).match(/docker build .*/g) ?? [];
      expect(commands.length, file).toBe(1);
      expect(commands[0], file).toContain(' --build-arg BUILD_COMMIT=$(git rev-parse --short=12 HEAD) .');
    }
  });

  it('takes a Node that package.json supports', () => {
    const version = /node:(\d+\.\d+\.\d+)/.exec(withName('ARG')[0] ?? '')?.[1] ?? '';
    expect(checkNode(version, TRIED_NODES).status).toBe('ok');
  });

  it('runs neither a package manager nor a compiler in the images that run', () => {
    expect(runtime.filter((line) => /\b(?:apt-get|npm|cargo|rustc|gcc|curl)\b/.test(line))).toEqual([]);
    expect(runtime.filter((line) => line.startsWith('COPY --from=addon')).length).toBe(1);
    expect(runtime.at(-2)).toBe('COPY --from=production-packages /app/node_modules /app/node_modules');
    // Of the dependencies only those outside of the bundle remain.
    const prune = instructions.find((line) => line.includes('npm prune --omit=dev --ignore-scripts '));
    expect(prune).toMatch(
      /^RUN node \.scripts\/pack-server\.mjs --manifest > (\S+) +&& mv \1 package\.json /,
    );
  });

  it('runs as a user by number who owns the one volume', () => {
    expect(withName('USER')).toEqual(['10001:10001']);
    const [volume] = listOf('VOLUME');
    expect(listOf('VOLUME').length).toBe(1);
    expect(textOf('docker/Dockerfile')).toContain(`install -d -o 10001 -g 10001 -m 0700 ${volume}`);
    expect(posix.dirname(imageEnvironment('production').PROOFGATE_DATA_DIR ?? '')).toBe(volume);
  });

  it('starts the program without a shell, with the memory flags of npm start', () => {
    expect(NODE_FLAGS.length).toBeGreaterThan(0);
    expect(listOf('ENTRYPOINT')).toEqual(['node', ...NODE_FLAGS, '/app/dist/main.js']);
    expect(listOf('CMD')).toEqual(['serve']);
    expect(withName('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(withName('HEALTHCHECK')[0]).toMatch(/CMD \["proofgate", "healthcheck"\]$/);
    // the command of the health check is the program itself
    expect(readFileSync(join(REPOSITORY, 'src/main.ts'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('copies what exists and what .dockerignore lets in', () => {
    const patterns = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').match(/^[^#\n].*$/gm) ?? [];
    expect(patterns[0]).toBe('*');
    const admitted = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of copied()) {
      expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
      expect(
        admitted.some((each) => isWithin(path, each)),
        path,
      ).toBe(true);
    }
    expect(admitted.filter((each) => !copied().some((path) => isWithin(path, each)))).toEqual([]);
  });

  it.skipIf(hadolint === undefined)(`has no finding of hadolint${hadolint ? '' : ' (not installed)'}`, () => {
    expect(run(hadolint ?? '', [join(DEPLOY, 'docker/Dockerfile')])).toEqual({ code: 0, output: '' });
  });
});
