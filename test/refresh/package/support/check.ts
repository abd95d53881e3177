import { ServiceError } from '../../../../src/errors/service-error.ts';
import { type CheckedPackage, checkPackage } from '../../../../src/refresh/package/check-package.ts';
import {
  PACKAGE_PARTS,
  type PartName,
  type RefreshForm,
} from '../../../../src/refresh/request/parse-form.ts';
import type { EnrolmentRow } from '../../../../src/storage/refresh/enrolments.ts';
import type { OrbKeyRow } from '../../../../src/storage/refresh/orb-keys.ts';
import type { FormFields } from '../../../support/refresh/client.ts';
import {
  type CustodyPackage,
  makePackage,
  type OrbKeyPair,
  orbKeyPair,
  type PackageOptions,
  signManifest,
} from '../../../support/refresh/custody-package.ts';

/** Registries and settings that the check sees; each has a default that fits the package. */
export interface Surroundings {
  readonly keys?: readonly OrbKeyRow[];
  readonly enrolment?: Partial<EnrolmentRow>;
  readonly versions?: readonly string[];
  readonly reasons?: readonly string[];
  /** Error that the registry of keys throws. */
  readonly fault?: ServiceError;
  /** Receives the warnings of the log. */
  readonly warnings?: unknown[];
  /** Receives the orb ids that were looked up in the registry. */
  readonly lookedUp?: string[];
}

/** Outcome of a check: passed, or refused with a rule and a part. */
export interface Verdict {
  readonly passed?: CheckedPackage;
  readonly refused?: ServiceError;
  /** `passed`, or rule and part as the log has them. */
  readonly text: string;
}

/** Returns a row of the registry, active unless `row` says otherwise. */
export function keyRow(pair: OrbKeyPair, row: Partial<OrbKeyRow> = {}): OrbKeyRow {
  return { orbId: '0c1d2e3f', keyHash: pair.keyHash, pem: pair.pem, status: 'active', addedAt: 0, ...row };
}

/** Builds a form as the request parser returns it. */
export function formOf(fields: Readonly<Record<string, string | Uint8Array | undefined>>): RefreshForm {
  const known: readonly string[] = PACKAGE_PARTS;
  const parts = new Map<PartName, Uint8Array>();
  for (const [name, value] of Object.entries(fields)) {
    if (!known.includes(name)) throw new Error(`expected a part of a package, got ${name}`);
    if (value !== undefined) parts.set(name as PartName, Buffer.from(value));
  }
  return { parts, hasPackage: parts.size > 0 };
}

/** Checks a package with `fields` in place of its own; undefined leaves a part out. */
export async function judge(
  made: CustodyPackage,
  fields: Readonly<Record<string, string | Uint8Array | undefined>> = {},
  around: Surroundings = {},
): Promise<Verdict> {
  const enrolment: EnrolmentRow = {
    idComm: new Uint8Array(32),
    signupId: made.signupId,
    orbId: made.orbId,
    enrolledAt: 0,
    status: 'active',
    updatedAt: 0,
    ...around.enrolment,
  };
  const refresh = {
    pcpVersions: around.versions ?? ['2.3'],
    pcpSignupReasons: around.reasons ?? ['NORMAL'],
  };
  try {
    const passed = await checkPackage(formOf({ ...made.fields, ...fields }), enrolment, {
      orbKeys: {
        list: async (orbId) => {
          around.lookedUp?.push(orbId);
          if (around.fault !== undefined) throw around.fault;
          return [...(around.keys ?? [keyRow(made.orbKey)])];
        },
      },
      config: { refresh },
      log: { warn: (message, fields) => void around.warnings?.push({ message, ...fields }) },
    });
    return { passed, text: 'passed' };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'refresh.package_invalid') throw error;
    return { refused: error, text: `${error.details.rule} ${error.details.path}` };
  }
}

const STRANGER = orbKeyPair('a key that nobody registered');

/** An orb id under which no key is registered. */
export const KEYLESS_ORB = 'orb-without-key';

/** One fault in an otherwise valid package; faults can be combined. */
export interface Fault {
  /** Name of the rule (spec/refresh.md#package-checks). */
  readonly rule: string;
  /** Rule and part as the log has them. */
  readonly text: string;
  /** Start of the message, before the colon. */
  readonly named: string;
  readonly options?: PackageOptions;
  /** Parts that replace those made; undefined leaves one out. */
  readonly fields?: (made: CustodyPackage) => Readonly<Record<string, string | Uint8Array | undefined>>;
  /** Whether the enrolment has another signup id than the package. */
  readonly isOfAnother?: boolean;
}

/** A fault for each rule of spec/refresh.md#package-checks, in their order. */
export const FAULTS: readonly Fault[] = [
  fault('parts', 'parts operator_id_salt', 'operator_id_salt', {
    fields: () => ({ operator_id_salt: undefined }),
  }),
  fault('manifest', 'manifest hashes.json', 'manifest', {
    options: { editManifest: (text) => text.replace('{', '{"more":null,') },
  }),
  fault('version', 'version hashes.json', 'version', {
    options: {
      editMembers: (members) =>
        members.map(([name, value]) => [name, name === '"version"' ? '"2.2"' : value] as const),
    },
  }),
  fault('digest', 'digest timestamp', 'timestamp', { fields: () => ({ timestamp: '1700000001' }) }),
  fault('signup-reason', 'signup_reason signup_reason', 'signup_reason', {
    options: { values: { signup_reason: 'FRAUD' } },
  }),
  fault('orb-key', 'orb_key orb_id', 'orb key', { options: { values: { orb_id: KEYLESS_ORB } } }),
  fault('signature', 'signature hashes.sign', 'signature', {
    fields: ({ manifest }) => ({ 'hashes.sign': signManifest(manifest, STRANGER) }),
  }),
  fault('enrolment', 'enrolment signup_id', 'enrolment', { isOfAnother: true }),
];

function fault(
  rule: string,
  text: string,
  named: string,
  made: Pick<Fault, 'options' | 'fields' | 'isOfAnother'>,
): Fault {
  return { rule, text, named, ...made };
}

/** Every pair of faults, the one of the earlier rule first. */
export const FAULT_PAIRS: readonly {
  readonly rules: string;
  readonly first: Fault;
  readonly second: Fault;
}[] = FAULTS.flatMap((first, index) =>
  FAULTS.slice(index + 1).map((second) => ({ rules: `${first.rule} and ${second.rule}`, first, second })),
);

/** A package with faults, and its enrolment. */
export interface FaultyPackage {
  readonly made: CustodyPackage;
  readonly fields: FormFields;
  readonly enrolment: { readonly signupId: string; readonly orbId: string };
}

/** Makes a package that has exactly these faults. */
export function faultyPackage(faults: readonly Fault[], seed?: string): FaultyPackage {
  const options = faults.map((fault) => fault.options ?? {});
  const made = makePackage({
    ...(seed === undefined ? {} : { seed }),
    ...Object.assign({}, ...options),
    values: Object.assign({}, ...options.map(({ values }) => values)) as PackageOptions['values'] & object,
  });
  const changed: ReturnType<NonNullable<Fault['fields']>> = Object.assign(
    {},
    made.fields,
    ...faults.map(({ fields }) => fields?.(made)),
  );
  const fields: Record<string, string | Uint8Array> = {};
  for (const [name, value] of Object.entries(changed)) if (value !== undefined) fields[name] = value;
  const isOfAnother = faults.some((fault) => fault.isOfAnother === true);
  const signupId = isOfAnother ? `${made.signupId} of another` : made.signupId;
  return { made, fields, enrolment: { signupId, orbId: made.orbId } };
}
