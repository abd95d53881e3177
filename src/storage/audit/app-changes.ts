import { isDeepStrictEqual } from 'node:util';
import { fieldsOfClient } from '../../config/apps/client-of.ts';
import type { AppRow } from '../model/store.ts';
import type { AuditedChange } from '../model/store-audit.ts';
import type { Logo } from '../model/store-signin.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns the members of an app as the audit log holds them, spelled as on the wire. */
export function appValues({ rpId, name, status, verification, policy, client, hasLogo }: AppRow): Values {
  return { rp_id: rpId, name, status, verification, policy, ...fieldsOfClient(client), logo: hasLogo };
}

/**
 * Returns the members of an app that a change gives other values, before and after.
 *
 * @param logo - The new logo, null to remove it; undefined if it stays.
 */
export function appDifference(
  app: AppRow,
  changed: AppRow,
  logo: Logo | null | undefined,
): Required<Pick<AuditedChange, 'before' | 'after'>> {
  const before = appValues(app);
  const hasLogo = logo === undefined ? app.hasLogo : logo !== null;
  const after = appValues({ ...changed, hasLogo });
  // A picture that replaces another one leaves the members equal; its size tells that it was set.
  const picture = logo == null ? {} : { logo_bytes: logo.bytes.length };
  const isChanged = ([member, value]: [string, unknown]): boolean =>
    !isDeepStrictEqual(value, before[member]);
  const present = Object.fromEntries(Object.entries(after).filter(isChanged));
  const former = Object.fromEntries(Object.keys(present).map((member) => [member, before[member]]));
  return { before: former, after: { ...present, ...picture } };
}
