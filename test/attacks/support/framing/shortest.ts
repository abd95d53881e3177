import type { Packets } from './request-stream.ts';

const MAX_TRIALS = 400;

/** Shortens a failing stream to the bytes that its failure needs, in a bounded number of trials. */
export async function shortest(
  packets: Packets,
  fails: (packets: Packets) => Promise<boolean>,
): Promise<Packets> {
  let best = packets;
  let trials = 0;
  const tryOut = async (candidate: Packets): Promise<boolean> => {
    const packetsLeft = candidate.filter((packet) => packet !== '');
    if (trials++ >= MAX_TRIALS || !(await fails(packetsLeft))) return false;
    best = packetsLeft;
    return true;
  };
  if (packets.length > 1) await tryOut([packets.join('')]);
  for (let length = Math.ceil(best.join('').length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < best.join('').length; ) {
      if (!(await tryOut(without(best, at, length)))) at += length;
    }
  }
  return best;
}

function without(packets: Packets, from: number, length: number): Packets {
  let start = 0;
  return packets.map((packet) => {
    const begin = Math.max(0, from - start);
    const end = Math.max(0, from + length - start);
    start += packet.length;
    return packet.slice(0, begin) + packet.slice(end);
  });
}
