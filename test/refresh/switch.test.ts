import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { atCheck, createSwitch } from '../../src/refresh/refresh.ts';

const CACHE_SECONDS = 5;

/** Makes a switch over a store that counts its reads. */
function makeSwitch(enabled = true) {
  const state = { clock: 0, isOn: true, isDown: false, reads: 0 };
  const check = createSwitch({
    config: {
      refresh: { enabled },
      storage: { cacheSeconds: CACHE_SECONDS },
    } as Parameters<typeof createSwitch>[0]['config'],
    guards: {
      async isSwitchedOn() {
        state.reads++;
        if (state.isDown) throw new ServiceError('store.unreachable');
        return state.isOn;
      },
    },
    now: () => state.clock,
  });
  return { state, check };
}

describe('check 1 of a refresh', () => {
  it('refuses by the setting without reading the store', async () => {
    const { state, check } = makeSwitch(false);
    state.isDown = true;
    await expect(check()).rejects.toMatchObject({ code: 'refresh.disabled' });
    expect(state.reads).toBe(0);
  });

  it('reads the store once for all requests within storage.cacheSeconds', async () => {
    const { state, check } = makeSwitch();
    await Promise.all([check(), check(), check()]);
    state.isOn = false;
    state.clock = CACHE_SECONDS * 1000;
    await check();
    expect(state.reads).toBe(1);
    state.clock++;
    await expect(check()).rejects.toMatchObject({ code: 'refresh.disabled' });
    state.isOn = true;
    state.clock += CACHE_SECONDS * 1000 + 1;
    await check();
    expect(state.reads).toBe(3);
  });

  it.each([true, false])('marks one refusal a minute for the log, with the setting %s', async (enabled) => {
    const { state, check } = makeSwitch(enabled);
    state.isOn = false;
    const marks = async (): Promise<readonly unknown[]> => {
      const refusals = await Promise.allSettled(Array.from({ length: 20 }, () => check()));
      return refusals.map(
        (refusal) => refusal.status === 'rejected' && refusal.reason.details.isFirstRefusal,
      );
    };
    const one = [true, ...new Array<boolean>(19).fill(false)];
    expect(await marks()).toEqual(one);
    state.clock += 59_999;
    expect(await marks()).toEqual(new Array<boolean>(20).fill(false));
    state.clock += 1;
    expect(await marks()).toEqual(one);
    // a clock that was set back does not suppress it permanently
    state.clock -= 3_600_000;
    expect(await marks()).toEqual(one);
  });

  it('marks the next refusal after refresh was on', async () => {
    const { state, check } = makeSwitch();
    const checkWhen = async (isOn: boolean): Promise<unknown> => {
      state.isOn = isOn;
      state.clock += CACHE_SECONDS * 1000 + 1;
      return await check().then(
        () => 'on',
        (error: ServiceError) => error.details.isFirstRefusal,
      );
    };
    expect([
      await checkWhen(false),
      await checkWhen(false),
      await checkWhen(true),
      await checkWhen(false),
    ]).toEqual([true, false, 'on', true]);
  });

  it('is unavailable, and not disabled, while the store is unreachable, which is not cached', async () => {
    const { state, check } = makeSwitch();
    state.isDown = true;
    await expect(check()).rejects.toMatchObject({ code: 'store.unreachable' });
    state.isDown = false;
    await expect(check()).resolves.toBeUndefined();
  });
});

describe('a check of a refresh', () => {
  it('resolves to the result of the check', async () => {
    await expect(atCheck(5, () => 'found')).resolves.toBe('found');
    await expect(atCheck(5, async () => 'found later')).resolves.toBe('found later');
  });

  it('adds its number to a refusal, and keeps the other details', async () => {
    const refusal = new ServiceError('refresh.limited', 'text', { retryAfterSeconds: 7, rule: 'window' });
    const thrown = atCheck(10, () => {
      throw refusal;
    });
    await expect(thrown).rejects.toMatchObject({
      code: 'refresh.limited',
      message: 'text',
      details: { check: 10, retryAfterSeconds: 7, rule: 'window' },
      cause: refusal,
    });
  });

  it('keeps a number that the refusal already has', async () => {
    const refusal = new ServiceError('refresh.package_invalid', undefined, { check: 13 });
    await expect(atCheck(14, () => Promise.reject(refusal))).rejects.toBe(refusal);
  });

  it('turns any other error into an internal error with its cause', async () => {
    const cause = new Error('unforeseen');
    await expect(atCheck(9, () => Promise.reject(cause))).rejects.toMatchObject({
      code: 'internal.unforeseen',
      details: { check: 9 },
      cause,
    });
  });
});
