import { ServiceError } from '../../../../src/errors/index.ts';
import { type CheckedPackage, checkPackage } from '../../../../src/refresh/package/check-package.ts';
import {
  PACKAGE_PARTS,
  type PartName,
  type RefreshForm,
} from '../../../../src/refresh/request/parse-form.ts';
import type { EnrolmentRow, OrbKeyRow } from '../../../../src/storage/index.ts';
import type { CustodyPackage, OrbKeyPair } from '../../../support/refresh/custody-package.ts';

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
    ...{ idComm: new Uint8Array(32), signupId: made.signupId, orbId: made.orbId },
    ...{ enrolledAt: 0, status: 'active', updatedAt: 0 },
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
