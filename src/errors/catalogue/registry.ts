/** Refusals of the registries of apps and roots, and of proof files. */
export const REGISTRY_ERRORS = {
  'root.invalid': {
    title: 'A root line or option has a wrong value',
    cause: 'The message names the line and the member.',
    cure: 'Correct the value; nothing was kept.',
    retry: 'never',
  },
  'app.invalid': {
    title: 'A field of the app has a wrong value',
    cause: 'The message names the field and the rule.',
    cure: 'Correct the value.',
    retry: 'never',
  },
  'app.exists': {
    title: 'The app exists already',
    cause: 'Another app has this app_id or the rp_id derived from it.',
    cure: 'Choose another id, or change the existing app.',
    retry: 'never',
  },
  'app.unknown': {
    title: 'No app with this id',
    cause: 'The id is neither an app_id nor an rp_id of the registry.',
    cure: 'See `proofgate apps list`.',
    retry: 'never',
  },
  'entry.malformed': {
    title: 'An entry of a proof file cannot be read',
    cause: 'It is not JSON, or lacks inputs or proof.',
    cure: 'Give the members of the proof data, or {"inputs": […], "proof": "0x…"} a line.',
    retry: 'never',
  },
} as const;
