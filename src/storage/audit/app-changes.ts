import { isDeepStrictEqual } from 'node:util';
import { fieldsOfClient } from '../../config/apps/client-of.ts';
import type { AppRow, AppRowChange } from '../model/store.ts';
import type { AuditedChange } from '../model/store-audit.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns the members of an app as the audit log holds them, spelled as on the wire. */
export function appValues({ rpId, name, status, verification, client, hasLogo }: AppRow): Values {
  return { rp_id: rpId, name, status, verification, ...fieldsOfClient(client), logo: hasLogo };
}

/** Returns the members of an app that a change gives other values, before and after. */
export function appDifference(
  app: AppRow,
  { logo, ...members }: AppRowChange,
): Required<Pick<AuditedChange, 'before' | 'after'>> {
  const before = appValues(app);
  const hasLogo = logo === undefined ? app.hasLogo : logo !== null;
  const after = appValues({ ...app, ...members, hasLogo });
  // A picture that replaces another one leaves the members equal; its size tells that it was set.
  const picture = logo == null ? {} : { logo_bytes: logo.bytes.length };
  const isChanged = ([member, value]: [string, unknown]): boolean =>
    !isDeepStrictEqual(value, before[member]);
  const changed = Object.fromEntries(Object.entries(after).filter(isChanged));
  const former = Object.fromEntries(Object.keys(changed).map((member) => [member, before[member]]));
  return { before: former, after: { ...changed, ...picture } };
}
