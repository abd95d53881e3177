import { CREDENTIAL_ERRORS } from '../errors/catalogue/credential.ts';
import { ENGINE_ERRORS } from '../errors/catalogue/engine.ts';
import { KEY_ERRORS } from '../errors/catalogue/keys.ts';
import { SIGNING_KEY_ERRORS } from '../errors/catalogue/signing-keys.ts';

/**
 * The rows of the error catalogue that the library can throw. `.scripts/library.mjs` bundles this module in place of
 * `src/errors/catalogue.ts`, so that the library does not carry the errors of the service.
 */
export const ERRORS = {
  ...ENGINE_ERRORS,
  ...KEY_ERRORS,
  ...SIGNING_KEY_ERRORS,
  ...CREDENTIAL_ERRORS,
};
