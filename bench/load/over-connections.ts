import { closedLoop, type LoopFigures } from '../support/window-counter.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';
import type { LoadPlan } from './plan.ts';

/** Figures of one run of a load client. */
export interface ConnectionFigures extends LoopFigures {
  /** Processor time of this process in seconds, as a share of the run's length. */
  readonly ownCpuShare: number;
}

/**
 * Runs `operation` in a closed loop on each of some new keep-alive connections to a port of this machine.
 *
 * @param operation - called with a connection that nobody else uses and a running number; gives false when there is
 *   nothing left to do.
 */
export async function overConnections(
  load: { readonly port: number; readonly connections: number; readonly plan: LoadPlan },
  operation: (connection: HttpConnection, index: number) => Promise<boolean>,
): Promise<ConnectionFigures> {
  const open: HttpConnection[] = [];
  for (let i = 0; i < load.connections; i++) open.push(await openConnection('127.0.0.1', load.port));
  const idle = [...open];
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const figures = await closedLoop(load.connections, load.plan, async (index) => {
    const connection = idle.pop();
    if (!connection) throw new Error('more loops than connections');
    const goesOn = await operation(connection, index);
    idle.push(connection);
    return goesOn;
  });
  const used = process.cpuUsage(cpu);
  for (const connection of open) connection.close();
  return { ...figures, ownCpuShare: (used.user + used.system) / 1000 / (performance.now() - began) };
}
