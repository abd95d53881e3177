/**
 * Functions behind the operator commands of credential refresh (spec/refresh.md#operator-commands): imports
 * and changes of enrolment records and orb keys, and the export of issued credentials.
 */
export { credentialLines } from './credential-lines.ts';
export { type EnrolmentWithBindings, findEnrolment, revokeEnrolment } from './enrolment-records.ts';
export { importEnrolments } from './import-enrolments.ts';
export type { ImportObserver, ImportResult, RefusedLine } from './import-lines.ts';
export { importOrbKeys } from './import-orb-keys.ts';
export { type LineFault, LineRefused } from './line-refused.ts';
export { revokeOrbKey } from './orb-key-records.ts';
export { parseEnrolmentLine } from './parse-enrolment-line.ts';
export { type OrbKeyLine, parseOrbKeyLine } from './parse-orb-key-line.ts';
