import { isDeepStrictEqual } from 'node:util';
import type { ExplainedSetting } from '../../config/sources/explain.ts';
import { membersOf } from '../../json.ts';
import type { Store } from '../../storage/store.ts';

const ACTION = 'config.applied';

/**
 * Records the settings that differ from their defaults in the audit log, unless they equal the last record: a changed
 * configuration file is also a change by an operator. Secrets are masked.
 */
export async function recordSettings(
  store: Pick<Store, 'by'>,
  settings: readonly ExplainedSetting[],
  target: string,
): Promise<void> {
  const { audit } = store.by({ actor: 'config' });
  const values = Object.fromEntries(
    settings.filter(({ origin }) => origin !== 'default').map(({ key, value }) => [key, value]),
  );
  const [last] = await audit.list({ action: ACTION, target }, 1);
  const former = membersOf(last?.after ?? '{}');
  // Through JSON, like the former values.
  if (isDeepStrictEqual(former, membersOf(JSON.stringify(values)))) return;
  await audit.record({
    action: ACTION,
    target,
    ...(last === undefined ? {} : { before: former }),
    after: values,
  });
}
