import type { Command } from '../../program/command.ts';

/** Creates a command that sets the switch of credential refresh for all nodes. */
export function switchCommand(word: 'enable' | 'disable', summary: string): Command {
  const isOn = word === 'enable';
  return {
    path: ['refresh', word],
    summary,
    details:
      'The switch is in the store: every node follows within storage.cacheSeconds. Independent of refresh.enabled.',
    run: async (_input, context) => {
      const loaded = await context.loadConfig();
      return await context.withStore(loaded, async ({ refreshGuards }) => {
        await refreshGuards.switch(isOn, context.now());
        const { refresh, storage } = loaded.config;
        const within = `every node follows within ${storage.cacheSeconds} s`;
        if (isOn && !refresh.enabled) {
          context.note('warning: refresh.enabled is false here: nodes with this setting still refuse');
        }
        await context.print(
          { enabled: isOn, within_seconds: storage.cacheSeconds },
          `credential refresh is switched ${isOn ? 'on' : 'off'}; ${within}`,
        );
        return 0;
      });
    },
  };
}
