import type { NewEvent } from '../outbox.ts';
import type { AuditedChange } from './audit-log.ts';

const APP_ACTION = /^app\.([a-z_]+)$/;

/** Returns the event that webhooks send for a change; undefined for a change that they do not report. */
export function eventOfChange({ action, target, before, after }: AuditedChange): NewEvent | undefined {
  const appChange = APP_ACTION.exec(action)?.[1];
  if (appChange !== undefined) {
    const members = appChange.startsWith('secret_') ? ['client_secrets'] : memberNames(before, after);
    // Does nothing if no member changed.
    if (members.length === 0) return undefined;
    return { type: 'app.changed', data: { app_id: target, change: appChange, members } };
  }
  if (action === 'signing_key.rotated' || action === 'signing_key.removed') {
    const active = activeOf(after);
    return active === undefined
      ? undefined
      : { type: 'key.rotated', data: { use: target, active_kid: active } };
  }
  if (action !== 'credential_key.activated') return undefined;
  const data = { use: 'credential', active_kid: activeOf(after), issuer_schema_id: target };
  return { type: 'key.rotated', data };
}

/** Returns the names of the members of an app that have a value before or after a change; never a value. */
function memberNames(before: unknown, after: unknown): string[] {
  const names = [...Object.keys(before ?? {}), ...Object.keys(after ?? {})];
  const spelled = names.map((name) =>
    name === 'logo_bytes' ? 'logo' : name === 'secret_id' ? 'client_secrets' : name,
  );
  return [...new Set(spelled)].sort();
}

function activeOf(after: unknown): string | undefined {
  const active = typeof after === 'object' && after !== null && 'active' in after ? after.active : undefined;
  return typeof active === 'string' ? active : undefined;
}
