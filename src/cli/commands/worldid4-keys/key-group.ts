import { ISSUER_KEYS, type KeyInput, type KeyKind, OPRF_KEYS } from '../../../membership/index.ts';
import type { CommandInput, CommandOption } from '../../program/command.ts';

/** The commands of one kind of World ID 4.0 key: their words and options. */
export interface KeyGroup {
  readonly kind: KeyKind;
  /** First word of the commands. */
  readonly word: string;
  /** Name of one key, for texts. */
  readonly noun: string;
  /** Option for the id of the owner, and its name in `CommandInput`. */
  readonly idFlags: string;
  readonly idOption: string;
}

/** Commands for the keys of issuers. */
export const ISSUERS: KeyGroup = {
  kind: ISSUER_KEYS,
  word: 'issuers',
  noun: 'issuer',
  idFlags: '--id <number>',
  idOption: 'id',
};

/** Commands for the OPRF keys of relying parties. */
export const OPRF: KeyGroup = {
  kind: OPRF_KEYS,
  word: 'oprf-keys',
  noun: 'OPRF key',
  idFlags: '--rp-id <id>',
  idOption: 'rpId',
};

/** Options that name a key. */
export function ownerOptions({ kind, idFlags }: KeyGroup): CommandOption[] {
  return [
    { flags: '--environment <environment>', description: 'production or staging', isRequired: true },
    { flags: idFlags, description: `${kind.idMember}: ${kind.idForm}`, isRequired: true },
  ];
}

/** Returns the members of a key that the options name. */
export function keyInput({ kind, idOption }: KeyGroup, input: CommandInput): KeyInput {
  return {
    environment: input.option('environment'),
    [kind.idMember]: input.option(idOption),
    x: input.option('x'),
    y: input.option('y'),
  };
}
