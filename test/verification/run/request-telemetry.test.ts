import { describe, expect, it } from 'vitest';
import type { JudgedRequest } from '../../../src/verification/request/judged-request.ts';
import type { RequestItem, VerifyRequest } from '../../../src/verification/request/request-types.ts';
import { factsOfSuccess } from '../../../src/verification/run/request-telemetry.ts';
import type { PreparedItem } from '../../../src/verification/run/verify-item.ts';

const bytes = new Uint8Array(384);
const item: RequestItem = {
  identifier: 'orb',
  nullifier: '0x1',
  maxAgeSeconds: 3600,
  statement: { bytes },
};
const ready: PreparedItem = { keyId: 'k', bytes, nullifier: '0x1', rootAgeSeconds: 1 };

function judged(
  environment: VerifyRequest['environment'],
  count: number,
  codes: JudgedRequest['codes'] = [],
): JudgedRequest {
  return {
    request: {
      action: 'a',
      actionDescription: '',
      environment,
      items: new Array(count).fill(item),
      hasIntegrityBundle: false,
    },
    items: new Array(count).fill(ready),
    codes: Array.from({ length: count }, (_, index) => codes[index]),
    results: [],
  };
}

describe('facts of a success', () => {
  it('are of their own request, whatever was asked before', () => {
    for (let round = 0; round < 2; round++) {
      for (const appId of ['app_1', 'app_2']) {
        for (const environment of ['production', 'staging'] as const) {
          for (const items of [1, 2, 16]) {
            for (const reuse of [false, true]) {
              const facts = factsOfSuccess(appId, judged(environment, items), reuse);
              expect(facts).toEqual({ appId, environment, items, itemCodes: 'ok', reuse });
            }
          }
        }
      }
    }
  });

  it('name the codes of items that failed', () => {
    const facts = factsOfSuccess('app_1', judged('staging', 2, ['proof.false']), false);
    expect(facts).toMatchObject({ itemCodes: 'proof.false,ok', items: 2, reuse: false });
    expect(factsOfSuccess('app_1', judged('staging', 2), false)).toMatchObject({ itemCodes: 'ok' });
  });

  it('are right for more apps than are remembered', () => {
    for (let app = 0; app < 1500; app++) {
      expect(factsOfSuccess(`app_${app}`, judged('staging', 1), false).appId).toBe(`app_${app}`);
    }
    expect(factsOfSuccess('app_1', judged('production', 3), true)).toMatchObject({ items: 3, reuse: true });
  });
});
