// Rules: spec/verification.md#log-fields
import { describe, expect, it } from 'vitest';
import type { RequestItem, VerifyRequest } from '../../../src/verification/request/request-types.ts';
import type { CheckedRequest } from '../../../src/verification/run/checked-request.ts';
import type { PreparedItem } from '../../../src/verification/run/prepared-item.ts';
import { logFieldsOf } from '../../../src/verification/run/request-telemetry.ts';

const FORM = { protocol: '3.0', kind: 'uniqueness' };
const bytes = new Uint8Array(384);
const item: RequestItem = {
  identifier: 'orb',
  tree: 'orb',
  nullifier: '0x1',
  maxAgeSeconds: 3600,
  statement: { bytes },
};
const ready: PreparedItem = { keyId: 'k', bytes, nullifier: '0x1', rootAgeSeconds: 1 };

function checkedRequest(
  environment: VerifyRequest['environment'],
  count: number,
  codes: CheckedRequest['codes'] = [],
): CheckedRequest {
  return {
    request: {
      protocol: '3.0',
      kind: 'uniqueness',
      action: 'a',
      actionDescription: '',
      environment,
      items: new Array(count).fill(item),
      bundledBody: undefined,
    },
    items: new Array(count).fill(ready),
    codes: Array.from({ length: count }, (_, index) => codes[index]),
    results: [],
  };
}

describe('log fields of a request', () => {
  it('name app, environment and number of items, and `ok` once if all items verified', () => {
    for (const appId of ['app_1', 'app_2']) {
      for (const environment of ['production', 'staging'] as const) {
        for (const items of [1, 2, 16]) {
          const fields = logFieldsOf(appId, checkedRequest(environment, items));
          expect(fields).toEqual({ appId, environment, ...FORM, items, itemCodes: 'ok' });
        }
      }
    }
  });

  it('name each code once, in the order of the items', () => {
    const fields = logFieldsOf(
      'app_1',
      checkedRequest('staging', 4, ['proof.false', undefined, 'proof.false']),
    );
    expect(fields).toEqual({
      appId: 'app_1',
      environment: 'staging',
      ...FORM,
      items: 4,
      itemCodes: 'proof.false,ok',
    });
  });

  it('contain only what is known when the request ends', () => {
    expect(logFieldsOf(undefined, undefined)).toEqual({});
    expect(logFieldsOf('app_1', undefined)).toEqual({ appId: 'app_1' });
  });
});
