import { closedLoop, type LoopFigures } from '../../support/window-counter.ts';
import type { LoadPlan } from '../plan.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** Figures of one run of a load client. */
export interface ConnectionFigures extends LoopFigures {
  /** Processor time of this process in seconds, as a share of the run's length. */
  readonly ownCpuShare: number;
}

/** Opens keep-alive connections to a port of this machine. */
export async function openConnections(port: number, count: number): Promise<HttpConnection[]> {
  const open: HttpConnection[] = [];
  for (let i = 0; i < count; i++) open.push(await openConnection('127.0.0.1', port));
  return open;
}

/** Operation of a loop; returns false when there is nothing left to do. */
type Operation = (connection: HttpConnection, index: number) => Promise<boolean>;

/**
 * Runs `operation` in a closed loop on each of the connections, and closes them.
 *
 * @param operation - Called with a connection that no other loop uses, and a running number.
 */
export async function overOpen(
  open: readonly HttpConnection[],
  plan: LoadPlan,
  operation: Operation,
): Promise<ConnectionFigures> {
  const idle = [...open];
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const figures = await closedLoop(open.length, plan, async (index) => {
    const connection = idle.pop();
    if (!connection) throw new Error('more loops than connections');
    const hasMore = await operation(connection, index);
    idle.push(connection);
    return hasMore;
  });
  const used = process.cpuUsage(cpu);
  for (const connection of open) connection.close();
  return { ...figures, ownCpuShare: (used.user + used.system) / 1000 / (performance.now() - began) };
}

/** Runs `operation` in a closed loop on each of some new connections, and closes them. */
export async function overConnections(
  load: { readonly port: number; readonly connections: number; readonly plan: LoadPlan },
  operation: Operation,
): Promise<ConnectionFigures> {
  return overOpen(await openConnections(load.port, load.connections), load.plan, operation);
}
