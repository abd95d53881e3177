import { describe, expect, it } from 'vitest';
import { namingsOf, SOURCES, sourceFiles } from './support/module-graph.ts';

/** Files of `src` that each file imports: statically, dynamically or for a type. */
function importGraph(): ReadonlyMap<string, readonly string[]> {
  const files = sourceFiles();
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const targets = namingsOf(file).flatMap(({ by, file: target }) => {
        if (by === 'text' || by === 'program' || target === undefined) return [];
        const path = target.slice(SOURCES.href.length);
        return known.has(path) ? [path] : [];
      });
      return [file, [...new Set(targets)]];
    }),
  );
}

/** Strongly connected components with more than one node, or with an edge to itself (Tarjan 1972). */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const cycles: string[][] = [];
  const lower = (node: string, number = 0): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? number, number));
  };
  const visit = (node: string): void => {
    const number = numbers.size;
    numbers.set(node, number);
    lower(node, number);
    stack.push(node);
    open.add(node);
    for (const target of graph.get(node) ?? []) {
      if (!numbers.has(target)) {
        visit(target);
        lower(node, lowest.get(target));
      } else if (open.has(target)) lower(node, numbers.get(target));
    }
    if (lowest.get(node) !== number) return;
    const component = stack.splice(stack.indexOf(node));
    for (const member of component) open.delete(member);
    if (component.length > 1 || graph.get(node)?.includes(node)) cycles.push(component.sort());
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return cycles;
}

describe('imports of src', () => {
  it('have no cycle, type imports included', () => {
    expect(cyclesOf(importGraph())).toEqual([]);
  });

  it('are followed: a constructed cycle is found, whichever path leads to it', () => {
    const graph = new Map([
      ['a', ['b', 'e']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', ['b']],
      ['e', ['d']],
      ['f', ['f']],
    ]);
    expect(cyclesOf(graph)).toEqual([['b', 'c', 'd'], ['f']]);
    expect(importGraph().get('main.ts')).toEqual(expect.arrayContaining(['cli/cli.ts', 'app/app.ts']));
  });
});
