import type { RootSource } from '../../api/types.ts';
import type { Tone } from '../../parts/content.tsx';
import { formatAmount, formatDuration } from '../../parts/format.ts';

/** State of a source in words. */
export interface SourceHealth {
  readonly word: string;
  readonly tone: Tone;
  /** Effect of the state on proofs. */
  readonly meaning: string;
}

/** Describes the health of a source and its effect on proofs. */
export function healthOf(
  source: Pick<RootSource, 'configured' | 'tree' | 'stale' | 'failing' | 'lag_seconds'>,
): SourceHealth {
  const { configured, tree, stale, failing, lag_seconds: lag } = source;
  const health = (word: string, tone: Tone, meaning: string): SourceHealth => ({ word, tone, meaning });
  if (!configured) {
    const meaning =
      'It is no longer in roots.sources and is not read. Its roots stay until they are pruned or it is read anew.';
    return health('not configured', 'note', meaning);
  }
  if (lag === null && failing) {
    const meaning =
      'It has not read a root yet. Proofs over this tree are refused, except over roots that operators added.';
    return health('failing', 'bad', meaning);
  }
  if (lag === null) return health('starting', 'note', 'It is reading for the first time.');
  const since = formatDuration(lag);
  if (stale) {
    const known = tree === 'account' ? ', and those over the last known one before long' : '';
    const meaning = `It last knew the current root ${since} ago, longer than its staleAfterSeconds. Proofs over newer roots are refused${known}.`;
    return health('stale', 'bad', meaning);
  }
  if (failing) {
    const meaning = `Its last round failed and is tried again. It knew the current root ${since} ago; the roots that are known still count.`;
    return health('retrying', 'note', meaning);
  }
  return health('up to date', 'good', `It knew the current root ${since} ago.`);
}

/** State of a provider: the word for it, and what the operator can do. */
export interface ProviderHealth {
  readonly word: string;
  readonly tone: Tone;
  readonly cure: string;
}

const STATES: Readonly<Record<string, readonly [word: string, tone: Tone, cure: string]>> = {
  up: ['answers', 'good', ''],
  unknown: ['not asked yet', 'plain', ''],
  lagging: ['is behind', 'note', 'It does not know the newest blocks; it is asked again when it does.'],
  unreachable: [
    'does not answer',
    'bad',
    'Check its address in roots.rpc, and whether this machine may reach it.',
  ],
  rate_limited: ['limits requests', 'note', 'Raise pollSeconds of the source, or use another plan.'],
  refused: ['refuses the key', 'bad', 'It answered 401 or 403. Correct the key in roots.rpc.'],
  bad_response: ['answers wrongly', 'bad', 'Its answers are not JSON-RPC. Check the address in roots.rpc.'],
  chain_mismatch: [
    'serves another chain',
    'bad',
    'Correct the address in roots.rpc and restart; it is not asked until then.',
  ],
  disagreement: [
    'contradicts the others',
    'bad',
    'It is not asked for ten minutes. If it happens again, replace it.',
  ],
};

/** Describes the health of a provider; the state of a feed is a code of the error catalogue. */
export function providerHealth(state: string): ProviderHealth {
  const name = state.replace(/^roots\./, '');
  const [word, tone, cure] = STATES[name] ?? [name.replaceAll('_', ' '), 'note', ''];
  return { word, tone, cure };
}

/** Describes the numbers of providers that answer and that must agree; empty for a source without a quorum. */
export function quorumText({ providers, quorum }: Pick<RootSource, 'providers' | 'quorum'>): string {
  if (quorum === null || providers.length === 0) return '';
  const up = providers.filter(({ state }) => state === 'up').length;
  const all = formatAmount(providers.length, 'provider');
  const agree = quorum === 1 ? 'one answer is enough' : `${quorum} must give the same answer`;
  return `${up} of ${all} ${up === 1 ? 'answers' : 'answer'}; ${agree}.`;
}
