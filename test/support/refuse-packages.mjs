// Loaded with `--import` before a program: makes every import or require of a GPL package fail in this
// process.
import Module, { register } from 'node:module';

const REFUSED = /^(snarkjs|ffjavascript|@iden3\/binfileutils|circom2|circomlib|circomlibjs)(\/|$)/;

register(
  `data:text/javascript,${encodeURIComponent(`
    export async function resolve(specifier, context, next) {
      if (${REFUSED}.test(specifier)) throw new Error('refused by the test: ' + specifier);
      return next(specifier, context);
    }`)}`,
);

const load = Module._load;
Module._load = function (request, ...rest) {
  if (REFUSED.test(request)) throw new Error(`refused by the test: ${request}`);
  return load.call(this, request, ...rest);
};
