import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingReason, startEngine } from './support/describe-engine.ts';

const wasmReason = missingReason('wasm');
const nativeReason = missingReason('native');

describe('the choice of a backend', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-'));
    writeFileSync(join(folder, 'damaged.node'), 'this is no shared library');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.skipIf(nativeReason)(
    `auto takes the addon where it is built${nativeReason ? ` (not run: ${nativeReason})` : ''}`,
    async () => {
      const { engine, events } = await startEngine({ backend: 'auto', workers: 0 });
      expect(engine.stats()).toMatchObject({
        backend: 'native',
        reason: 'native addon loaded and passed its vectors',
      });
      expect(['adx', 'portable']).toContain(engine.stats().arithmetic);
      expect(events).toContainEqual(expect.objectContaining({ event: 'engine.started', backend: 'native' }));
      await engine.close();
    },
  );

  it.skipIf(wasmReason)(
    `auto takes WASM where the addon is not built, and says why${wasmReason ? ` (not run: ${wasmReason})` : ''}`,
    async () => {
      const internals = { nativeFile: join(folder, 'absent.node') };
      const { engine, events } = await startEngine({ backend: 'auto', workers: 1 }, internals);
      const reason =
        'native addon not built: native/addon/absent.node does not exist; the WASM build runs instead';
      expect(engine.stats()).toMatchObject({ backend: 'wasm', arithmetic: 'scalar', reason });
      expect(events).toContainEqual({
        event: 'engine.started',
        backend: 'wasm',
        arithmetic: 'scalar',
        reason,
      });
      await engine.close();
    },
  );

  it.skipIf(wasmReason)(
    `auto takes WASM where the addon does not load${wasmReason ? ` (not run: ${wasmReason})` : ''}`,
    async () => {
      const internals = { nativeFile: join(folder, 'damaged.node') };
      const { engine } = await startEngine({ backend: 'auto', workers: 0 }, internals);
      expect(engine.stats().backend).toBe('wasm');
      expect(engine.stats().reason).toMatch(/^native addon does not load: /);
      await engine.close();
    },
  );

  it('native does not start without the addon, and names the file', async () => {
    await expect(
      startEngine({ backend: 'native' }, { nativeFile: join(folder, 'absent.node') }),
    ).rejects.toMatchObject({
      code: 'engine.backend_unavailable',
      message: expect.stringContaining('absent.node'),
    });
    await expect(
      startEngine({ backend: 'native' }, { nativeFile: join(folder, 'damaged.node') }),
    ).rejects.toMatchObject({ code: 'engine.backend_unavailable' });
  });
});
