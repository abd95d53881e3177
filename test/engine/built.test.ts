import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { createEngine as CreateEngine } from '../../src/engine/create-engine.ts';
import { describeBackend, settings } from './support/describe-engine.ts';
import { depthKey, PROOFS } from './support/vectors.ts';

const built = new URL('../../dist/modules/engine.js', import.meta.url);

if (existsSync(built)) {
  describeBackend('the built engine', (backend) => {
    it('runs its workers from plain JavaScript', async () => {
      const { createEngine } = (await import(/* @vite-ignore */ built.href)) as {
        createEngine: typeof CreateEngine;
      };
      const engine = await createEngine(settings({ backend, workers: 1 }));
      await engine.registerKey('depth30', depthKey(30));
      const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
      const changed = inputs.slice();
      changed[31] = (changed[31] as number) ^ 1;
      const held = engine.verify('depth30', proof, inputs);
      await Promise.resolve();
      await engine.threads[0]?.terminate();
      expect(await Promise.all([held, engine.verify('depth30', proof, changed)])).toEqual([
        { ok: true },
        { ok: false },
      ]);
      expect(engine.stats()).toMatchObject({ backend, workerRestarts: 1 });
      await engine.close();
    });
  });
} else {
  describe('the built engine', () => {
    it.skip('not run: dist/ does not exist; `npm run build` creates it', () => undefined);
  });
}
