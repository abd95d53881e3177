import type { Config } from '../../config/index.ts';
import { compareBackends, type EngineSettings } from '../../engine/index.ts';
import { isServiceError } from '../../errors/index.ts';
import type { CommandContext } from '../command.ts';
import { type CheckResult, fail, messageOf, ok, warn } from './check.ts';

/** Settings of an engine that runs in this thread, for one look at a backend. */
function inThread(backend: 'native' | 'wasm'): EngineSettings {
  return { workers: 0, backend, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 };
}

function nativeFailure(error: unknown, choice: Config['engine']['backend']): CheckResult {
  const detail = messageOf(error);
  const cure = 'Install Rust 1.85 or later and run `npm run build:native`, or set engine.backend to wasm.';
  if (choice === 'native' || detail.includes('vectors')) {
    return fail('addon', detail, cure);
  }
  return choice === 'wasm'
    ? ok('addon', `not used (engine.backend is wasm): ${detail}`)
    : warn('addon', `${detail}; WASM runs in its place, several times slower`, cure);
}

/** Whether addon and WASM load, pass their vectors and agree with each other. */
export async function checkBackends(config: Config, context: CommandContext): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const withWasm = async (
    use: (engine: Parameters<Parameters<CommandContext['withEngine']>[1]>[0]) => Promise<void>,
  ): Promise<void> => {
    try {
      await context.withEngine(inThread('wasm'), use);
    } catch (error) {
      const cure = 'Restore wasm/artifact from the repository, or build it with `npm run build:wasm`.';
      results.push(
        isServiceError(error)
          ? fail('wasm', messageOf(error), cure)
          : fail('wasm', messageOf(error), 'Report it.'),
      );
    }
  };
  let isNativeThere = false;
  try {
    await context.withEngine(inThread('native'), async (native) => {
      isNativeThere = true;
      results.push(ok('addon', `loads and passes its vectors, arithmetic ${native.stats().arithmetic}`));
      await withWasm(async (wasm) => {
        results.push(ok('wasm', 'loads and passes its vectors'));
        const difference = await compareBackends(native, wasm);
        results.push(
          difference === undefined
            ? ok('agreement', 'WASM and addon give the same answers')
            : fail(
                'agreement',
                difference,
                'Build both again from the same sources: `npm run build:native`.',
              ),
        );
      });
    });
  } catch (error) {
    if (isNativeThere) {
      throw error;
    }
    results.push(nativeFailure(error, config.engine.backend));
    await withWasm(async () => {
      results.push(ok('wasm', 'loads and passes its vectors'));
    });
  }
  return results;
}
