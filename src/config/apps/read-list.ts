import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '../../json.ts';
import type { Profile } from '../settings/setting.ts';
import type { ConfiguredApp } from '../settings/types.ts';
import type { Fault } from '../sources/faults.ts';
import { emptyReading, readSecretFile } from '../sources/read-sources.ts';
import { SECRET_FORM, SECRET_PATTERN } from './app-forms.ts';
import type { FieldCheck } from './check-fields.ts';
import { clientFaults } from './check-redirect-uris.ts';
import { type ClientSettings, clientOf, needsSecret } from './client-of.ts';
import { type FieldFault, shown } from './field-rule.ts';
import { type AppEntry, ENTRY_FIELDS } from './list-rules.ts';
import { readLogo } from './logo.ts';
import { completePolicy } from './policy.ts';

/** The result of reading `apps.list`. */
export interface AppListReading {
  readonly apps: readonly ConfiguredApp[];
  /** Each with the name of its entry, without the origin. */
  readonly faults: readonly Fault[];
  /** Secret files that anyone on the machine can read. */
  readonly exposedFiles: readonly string[];
  /** Whether the list itself contains a secret. */
  readonly holdsSecret: boolean;
}

interface EntryReading {
  readonly app?: ConfiguredApp;
  readonly faults: readonly FieldFault[];
  readonly exposedFiles: readonly string[];
}

/**
 * Reads `apps.list` and its files. A value that is not a list is reported by the schema.
 *
 * @param cwd - Base folder of relative paths.
 */
export async function readAppList(list: unknown, profile: Profile, cwd: string): Promise<AppListReading> {
  const apps: ConfiguredApp[] = [];
  const faults: Fault[] = [];
  const exposedFiles: string[] = [];
  const indexById = new Map<string, number>();
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  if (entries.length === 0) return { apps, faults, exposedFiles, holdsSecret: false };
  // Loads ajv.
  const { fieldCheck } = await import('./check-fields.ts');
  const checkEntry = fieldCheck(ENTRY_FIELDS, ['client_secret']);
  for (const [index, entry] of entries.entries()) {
    const reading = await readEntry(entry, checkEntry, profile, cwd);
    const id = isObject(entry) && typeof entry.client_id === 'string' ? entry.client_id : undefined;
    const twin = id === undefined ? undefined : indexById.get(id);
    const duplicate =
      twin === undefined ? [] : [{ field: 'client_id', text: `is also that of apps.list[${twin}]` }];
    for (const { field, text } of [...reading.faults, ...duplicate]) {
      faults.push(`apps.list[${index}]${id === undefined ? '' : ` ${shown(id)}`}: ${field}: ${text}`);
    }
    exposedFiles.push(...reading.exposedFiles.map((line) => `apps.list[${index}]: ${line}`));
    if (id !== undefined && twin === undefined) indexById.set(id, index);
    if (reading.app !== undefined) apps.push(reading.app);
  }
  const holdsSecret = entries.some((entry) => isObject(entry) && entry.client_secret !== undefined);
  return { apps, faults, exposedFiles, holdsSecret };
}

async function readEntry(
  value: unknown,
  checkEntry: FieldCheck,
  profile: Profile,
  cwd: string,
): Promise<EntryReading> {
  const wrong = checkEntry(value);
  if (isObject(value) && value.client_id === undefined) {
    wrong.push({ field: 'client_id', text: 'required' });
  }
  if (wrong.length > 0) return { faults: wrong, exposedFiles: [] };
  const entry = value as AppEntry;
  const client = clientOf(entry);
  const isDevelopment = profile !== 'production';
  const logo = await readLogoFile(entry, cwd);
  const secret = await readSecret(entry, cwd);
  const faults = [
    ...clientFaults({ clientId: entry.client_id, client, isDevelopment }),
    ...secretFaults(entry, client, secret.faults.length > 0),
    ...secret.faults,
    ...logo.faults,
  ];
  const app: ConfiguredApp = {
    clientId: entry.client_id,
    rpId: entry.rp_id?.toLowerCase(),
    name: entry.name ?? entry.client_id,
    status: entry.status ?? 'active',
    verification: entry.verification ?? 'registered',
    policy: completePolicy(entry.policy, entry.client_id, isDevelopment),
    client,
    secret: secret.value,
    logo: logo.value,
  };
  return { ...(faults.length === 0 ? { app } : {}), faults, exposedFiles: secret.exposedFiles };
}

/** Checks that a client has a secret if and only if it must authenticate. */
function secretFaults(
  { client_secret, client_secret_file }: AppEntry,
  client: ClientSettings,
  isUnreadable: boolean,
): FieldFault[] {
  const isPublic = client.tokenEndpointAuthMethod === 'none';
  const isGiven = client_secret !== undefined || client_secret_file !== undefined;
  if (client_secret !== undefined && client_secret_file !== undefined) {
    return [{ field: 'client_secret', text: 'expected client_secret or client_secret_file, got both' }];
  }
  if (isPublic && isGiven) {
    return [{ field: 'token_endpoint_auth_method', text: 'is none, so the client must not have a secret' }];
  }
  if (isGiven || isUnreadable || !needsSecret(client)) return [];
  const text =
    'required with redirect_uris or introspects, unless client_secret_file is given or token_endpoint_auth_method is none';
  return [{ field: 'client_secret', text }];
}

async function readSecret(
  { client_secret, client_secret_file }: AppEntry,
  cwd: string,
): Promise<{
  readonly value: string | undefined;
  readonly faults: FieldFault[];
  readonly exposedFiles: readonly string[];
}> {
  if (client_secret_file === undefined) return { value: client_secret, faults: [], exposedFiles: [] };
  const reading = emptyReading();
  const field = 'client_secret_file';
  const value = await readSecretFile(field, resolve(cwd, client_secret_file), reading);
  const faults = reading.faults.map((text) => ({ field, text: text.slice(field.length + 2) }));
  if (value !== undefined && !new RegExp(SECRET_PATTERN).test(value)) {
    faults.push({ field, text: `expected ${SECRET_FORM}; the file holds ${value.length} other characters` });
  }
  return { value, faults, exposedFiles: reading.exposedFiles };
}

async function readLogoFile(
  { logo_file }: AppEntry,
  cwd: string,
): Promise<{ readonly value: ConfiguredApp['logo']; readonly faults: FieldFault[] }> {
  if (logo_file === undefined) return { value: undefined, faults: [] };
  const fault = (text: string): { value: undefined; faults: FieldFault[] } => ({
    value: undefined,
    faults: [{ field: 'logo_file', text: `${shown(logo_file)}: ${text}` }],
  });
  try {
    const logo = readLogo(await readFile(resolve(cwd, logo_file)));
    return 'fault' in logo ? fault(logo.fault) : { value: logo, faults: [] };
  } catch (error) {
    return fault(`cannot be read: ${(error as Error).message}`);
  }
}
