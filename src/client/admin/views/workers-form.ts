import { element } from '../../dom.ts';
import type { EngineFigures } from '../api/types.ts';
import type { ViewContext } from '../context.ts';
import { form, formField } from '../parts/form.ts';
import { formatAmount } from '../parts/format.ts';

/** Creates the form for the number of worker threads of this node. */
export function workersForm(context: ViewContext, workers: number): HTMLElement {
  const control = element('input', {
    ...{
      type: 'number',
      name: 'workers',
      min: '1',
      max: '256',
      value: String(workers),
      inputmode: 'numeric',
    },
  });
  const hint =
    'Threads that verify proofs on this node. No proof is lost. After a restart the setting engine.workers counts again.';
  const count = formField('workers', 'Worker threads', control, hint);
  return form({
    fields: [count],
    action: 'Change',
    context,
    async submit() {
      const { workers: now } = await context.api.patch<EngineFigures>('/engine', {
        body: { workers: Number(control.value) },
      });
      control.value = String(now);
      context.announce(`This node now has ${formatAmount(now, 'worker thread')}.`, 'good');
    },
  });
}
