import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  cpuQuota,
  frontEndsOf,
  processors,
  shapeOf,
  workersBeside,
} from '../../../src/config/settings/shape.ts';
import { faultsOf, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const FILE = 'proofgate.config.json';

/** Returns the quota in a system that has only these files. */
function quotaIn(files: Readonly<Record<string, string>>): number | undefined {
  return cpuQuota((path) => files[path]);
}

const V2 = '31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n';
const V1 =
  '32 31 0:29 /docker/a /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n';

describe('the shape of a machine', () => {
  it('gives half of the processors to front ends, from four on more than one', () => {
    const shapes = [1, 2, 3, 4, 5, 6, 7, 16, 64, 512].map((count) => {
      const { frontEnds, workers } = shapeOf(count);
      return `${count}: ${frontEnds} × ${workers}`;
    });
    expect(shapes).toEqual([
      '1: 1 × 1',
      '2: 1 × 1',
      '3: 1 × 2',
      '4: 2 × 2',
      '5: 2 × 2',
      '6: 3 × 3',
      '7: 3 × 3',
      '16: 8 × 8',
      '64: 32 × 32',
      '512: 64 × 447',
    ]);
  });

  it('has a worker for each front end, whatever the number of processors', () => {
    expect(workersBeside(2, 2)).toBe(2);
    expect(workersBeside(1, 1)).toBe(1);
    expect(frontEndsOf('auto', 16)).toBe(8);
    expect(frontEndsOf(undefined, 16)).toBe(1);
  });

  it('counts at least one processor and no more than the machine has', () => {
    expect(processors()).toBeGreaterThan(0);
    expect(processors()).toBeLessThanOrEqual(availableParallelism());
  });
});

describe('the CPU quota', () => {
  it('is that of the group of the process or of one above it, the smallest of them', () => {
    const files = {
      '/proc/self/mountinfo': V2,
      '/proc/self/cgroup': '0::/system.slice/proofgate.service\n',
      '/sys/fs/cgroup/system.slice/proofgate.service/cpu.max': '400000 100000\n',
    };
    expect(quotaIn(files)).toBe(4);
    expect(quotaIn({ ...files, '/sys/fs/cgroup/system.slice/cpu.max': '150000 100000\n' })).toBe(1.5);
    expect(quotaIn({ ...files, '/sys/fs/cgroup/cpu.max': 'max 100000\n' })).toBe(4);
  });

  it('is read where a container sees its own group', () => {
    const own = { '/proc/self/mountinfo': V2, '/sys/fs/cgroup/cpu.max': '250000 100000\n' };
    expect(quotaIn({ ...own, '/proc/self/cgroup': '0::/\n' })).toBe(2.5);
    expect(quotaIn({ ...own, '/proc/self/cgroup': '0::/../elsewhere\n' })).toBe(2.5);
  });

  it('is read from the first version of control groups', () => {
    const files = {
      '/proc/self/mountinfo': V1,
      '/proc/self/cgroup': '4:cpuset:/other\n2:cpu,cpuacct:/docker/a/b\n',
      '/sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us': '300000\n',
      '/sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    };
    expect(quotaIn(files)).toBe(3);
  });

  it('is absent without control groups', () => {
    expect(quotaIn({})).toBeUndefined();
    expect(quotaIn({ '/proc/self/mountinfo': V2, '/proc/self/cgroup': '0::/\n' })).toBeUndefined();
  });
});

describe('server.frontEnds', () => {
  it('is a number or a text in the file, and a text elsewhere', async () => {
    for (const frontEnds of [2, '2']) {
      await put(FILE, { server: { frontEnds }, engine: { workers: 2 } });
      expect((await load()).config.server.frontEnds).toBe(2);
    }
    await put(FILE, {});
    const more = { PROOFGATE_SERVER_FRONT_ENDS: '3', PROOFGATE_ENGINE_WORKERS: '4' };
    expect((await load({ env: more })).config.server.frontEnds).toBe(3);
    const flags = { 'server.frontEnds': '4', 'engine.workers': '4' };
    expect((await load({ flags })).config.server.frontEnds).toBe(4);
  });

  it.each([0, 65, 1.5, '0', '65', 'many', true])('refuses %j', async (frontEnds) => {
    await put(FILE, { server: { frontEnds } });
    expect(await faultsOf({})).toEqual([
      `server.frontEnds (PROOFGATE_SERVER_FRONT_ENDS): expected auto or a number from 1 to 64, got ${JSON.stringify(frontEnds)}   from file`,
    ]);
  });

  it('makes the default of engine.workers at least one for each', async () => {
    const { config } = await load({ flags: { 'server.frontEnds': '64' } });
    expect(config.engine.workers).toBe(Math.max(64, processors() - 65));
  });

  it('refuses fewer workers than front ends, none among them', async () => {
    for (const workers of ['0', '2']) {
      const flags = { 'server.frontEnds': '3', 'engine.workers': workers };
      expect(await faultsOf({ flags })).toEqual([
        `engine.workers (PROOFGATE_ENGINE_WORKERS): expected at least server.frontEnds (3), since each front end needs a worker of its own; got ${workers}`,
      ]);
    }
  });

  it('is at most the number of workers if it is auto', async () => {
    for (const workers of ['0', '1']) {
      const flags = { 'server.frontEnds': 'auto', 'engine.workers': workers };
      expect((await load({ flags })).config.server.frontEnds).toBe(1);
    }
  });
});
