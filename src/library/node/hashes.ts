import { type ChosenBackend, chooseBackend } from '../../engine/backends/choose-backend.ts';
import { type HashFunctions, hashFunctions, type UseCrypto } from '../facade/crypto-functions.ts';

let chosen: Promise<ChosenBackend> | undefined;

/** Runs a step in the calling thread: a hash takes microseconds, less than the round trip to a worker. */
export const useCrypto: UseCrypto = async (step) => {
  chosen ??= chooseBackend('auto');
  const { loaded } = await chosen;
  try {
    return step(loaded.functions);
  } catch (error) {
    // A trap leaves the memory of the instance inconsistent.
    if (error instanceof WebAssembly.RuntimeError) await loaded.renew();
    throw error;
  }
};

const functions: HashFunctions = hashFunctions(useCrypto);

export const poseidon: HashFunctions['poseidon'] = functions.poseidon;
export const poseidon2: HashFunctions['poseidon2'] = functions.poseidon2;
export const eddsa: HashFunctions['eddsa'] = functions.eddsa;
