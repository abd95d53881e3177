// Rules: spec/operations.md#front-ends
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ClusterLoad } from '../../cluster/support/cluster-load.ts';
import { opened } from '../../support/opened.ts';
import { RawClient } from '../../support/server/raw-client.ts';
import { pollUntil } from '../../support/until.ts';
import { FAULTS, FrontEndService } from './support/front-end-service.ts';
import { KeptConnections } from './support/kept-connections.ts';

/** `KILLS=120` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 6);
const FRONT_ENDS = 3;
const CONNECTIONS = 24;
const INTERVAL_MS = 1000;
/** After this time the log says more than a test that waits. */
const REPLACED_LIMIT_MS = 60_000;

describe('one of three front ends that is killed each second under load', () => {
  const service = opened(() => FrontEndService.create(FRONT_ENDS), 'end');

  it(
    `breaks its own requests only, and is replaced, over ${KILLS} kills: nothing that was acknowledged is lost, nothing is accepted twice`,
    async () => {
      const client = await service.prepare();
      await service.node.start();
      const load = await ClusterLoad.create(service, client, 'killed front ends');
      load.start();
      const open = (): Promise<RawClient> => RawClient.open(service.port);
      const kept = await KeptConnections.start(open, CONNECTIONS, 'kept connections');
      const killed = new Map<string, number>();
      const isServing = (index: number): boolean => {
        const life = kept.lives.get(index);
        return life !== undefined && !killed.has(life);
      };
      const serving = (): number[] => [1, 2, 3].filter(isServing);
      for (let kill = 0; kill < KILLS; kill++) {
        const index = 1 + (kill % FRONT_ENDS);
        const isReplaced = expect.poll(() => isServing(index) && serving().length > 1, {
          timeout: REPLACED_LIMIT_MS,
        });
        await isReplaced.toBe(true).catch((cause: unknown) => {
          throw new Error(`front end ${index} is not replaced; ${serving()} serve:\n${service.history()}`, {
            cause,
          });
        });
        const life = kept.lives.get(index) ?? '';
        killed.set(life, performance.now());
        await service.fail(index, FAULTS[Math.floor(kill / FRONT_ENDS) % FAULTS.length] ?? 'exit');
        await delay(INTERVAL_MS);
      }
      await pollUntil(() => serving().length === FRONT_ENDS);
      await load.untilServed(10);
      await kept.stop();
      await load.finish();
      const acknowledged = await kept.audit();
      console.log(
        `${KILLS} kills: ${kept.answered} answers, ${kept.cuts.length} connections cut, ${kept.unanswered} before their first answer, ${acknowledged} nullifiers over them;`,
        load.ledger.counts,
      );
      expect(kept.faults).toEqual([]);
      expect(load.ledger.faults).toEqual([]);
      const ofOthers = kept.cuts.filter(({ life, atMs }) => !(atMs > (killed.get(life) ?? Infinity)));
      expect(ofOthers).toEqual([]);
      expect(kept.cuts.length).toBeGreaterThan(0);
      expect(service.events('front_end.ended')).toHaveLength(KILLS);
      expect(service.events('front_end.given_up')).toEqual([]);
      expect(acknowledged).toBeGreaterThan(KILLS);
      expect(load.ledger.createdAt.size).toBeGreaterThan(KILLS);
      await service.stop();
    },
    120_000 + KILLS * 10_000,
  );
});
