import { describe, expect, it } from 'vitest';
import { healthOf, providerHealth, quorumText } from '../../../src/client/admin/views/roots/source-health.ts';

const SOURCE = { configured: true, tree: 'orb' as const, stale: false, failing: false, lag_seconds: 65 };

describe('the health of a source of roots', () => {
  it.each([
    [{}, 'up to date', 'It knew the current root 1 minute 5 seconds ago.'],
    [{ failing: true }, 'retrying', 'the roots that are known still count'],
    [{ stale: true, failing: true }, 'stale', /Proofs over newer roots are refused\.$/],
    [
      { stale: true, tree: 'account' as const },
      'stale',
      /refused, and those over the last known one before long\.$/,
    ],
    [{ lag_seconds: null }, 'starting', 'reading for the first time'],
    [{ lag_seconds: null, failing: true }, 'failing', 'It has not read a root yet'],
    [{ configured: false, failing: true }, 'not configured', 'no longer in roots.sources'],
  ])('with %j is: %s', (fields, word, meaning) => {
    const health = healthOf({ ...SOURCE, ...fields });
    expect(health.word).toBe(word);
    expect(health.meaning).toMatch(meaning);
  });

  it('says of each state of a provider what it is and what helps, also of a feed and of an unknown one', () => {
    for (const state of [
      'unreachable',
      'rate_limited',
      'refused',
      'bad_response',
      'chain_mismatch',
      'disagreement',
      'lagging',
    ]) {
      expect(providerHealth(state).cure, state).not.toBe('');
      expect(providerHealth(`roots.${state}`)).toEqual(providerHealth(state));
    }
    expect(providerHealth('up')).toEqual({ word: 'answers', tone: 'good', cure: '' });
    expect(providerHealth('roots.new_state').word).toBe('new state');
  });

  it('counts the providers that answer and says how many must agree', () => {
    const provider = { host: 'a', since: null, range: null, last_error: null, last_error_at: null };
    const states = (...list: string[]) => list.map((state) => ({ ...provider, state }));
    expect(quorumText({ providers: states('up', 'refused', 'up'), quorum: 2 })).toBe(
      '2 of 3 providers answer; 2 must give the same answer.',
    );
    expect(quorumText({ providers: states('up'), quorum: 1 })).toBe(
      '1 of 1 provider answers; one answer is enough.',
    );
    expect(quorumText({ providers: states('up'), quorum: null })).toBe('');
  });
});
