import { REFRESH_UNAVAILABLE } from './answers.ts';

/** Refusals of enrolment records, orb keys, credential keys and credentials, for operators. */
export const CREDENTIAL_ERRORS = {
  'signup.unknown': {
    title: 'No enrolment record for this idComm',
    cause: 'No record with this idComm was imported.',
    cure: 'Check the idComm; `proofgate signups import` adds records.',
    retry: 'never',
  },
  'orb_key.unknown': {
    title: 'No such orb key',
    cause: 'The orb has no key with this hash.',
    cure: 'See `proofgate orb-keys list ORB_ID`.',
    retry: 'never',
  },
  'import.refused_lines': {
    title: 'Some lines of the import were refused',
    cause: 'The lines are listed with their codes; all others were imported.',
    cure: 'Correct the lines and import them; lines that are already in the store count as unchanged.',
    retry: 'never',
  },
  'import.interrupted': {
    title: 'The import was interrupted',
    cause: 'A signal ended it. The lines before that point were imported and stay.',
    cure: 'Run the same import again; lines that are already in the store count as unchanged.',
    retry: 'later',
    exit: 75,
  },
  'issuer_key.unknown': {
    title: 'No credential key with this id',
    cause: 'The id is not in the list of credential keys of this issuer schema.',
    cure: 'See `proofgate keys list --use credential`.',
    retry: 'never',
  },
  'issuer_key.none': {
    title: 'No credential key is active',
    cause: 'refresh.signingSeed is not set and the store has no active credential key that can be opened.',
    cure: 'Set refresh.signingSeed, or make a key with `proofgate keys rotate --use credential`.',
    retry: 'later',
    exit: 75,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'issuer_key.cannot_open': {
    title: 'A credential key cannot be opened',
    cause: 'Its seed is sealed under another master key, or the row was altered.',
    cure: 'Set keys.masterKey or keys.masterKeyPrevious to the key it was sealed under.',
    retry: 'never',
    exit: 78,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'issuer_key.revoked': {
    title: 'The credential key is revoked',
    cause: 'A revoked key signs nothing and cannot come back.',
    cure: 'Use another seed, or make a key with `proofgate keys rotate --use credential`.',
    retry: 'never',
    exit: 78,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'issuer_key.configured': {
    title: 'The credential key is that of refresh.signingSeed',
    cause: 'A configured seed becomes the active key at every start, which would undo a rotation.',
    cure: 'Change refresh.signingSeed and start the service again.',
    retry: 'never',
  },
  'issuer_key.changed': {
    title: 'The credential keys changed in the meantime',
    cause: 'Another process rotated or revoked a key at the same moment; this call changed nothing.',
    cure: 'See `proofgate keys list --use credential` and decide again.',
    retry: 'later',
    exit: 75,
    refresh: REFRESH_UNAVAILABLE as typeof REFRESH_UNAVAILABLE,
  },
  'credential.invalid': {
    title: 'The file is not a credential',
    cause: 'The message names the member and the rule.',
    cure: 'Give the JSON of one credential, or base64 of it.',
    retry: 'never',
  },
} as const;
