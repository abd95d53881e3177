// JavaScript, because it runs in the page under test. Evaluates to a list of faults of the visible page:
// contrast below 4.5:1, targets below 44 px, controls without a name, duplicate ids, inline styles, and a
// wrong order of headings.
(() => {
  const faults = [];
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const describe = (node) =>
    `<${node.localName} class="${node.className}"> ${(node.textContent ?? '').trim().slice(0, 40)}`;

  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red, green, blue]) => {
    const linear = [red, green, blue].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const groundOf = (node) => {
    for (let above = node; above; above = above.parentElement) {
      const ground = channels(getComputedStyle(above).backgroundColor);
      if (ground.length === 3 || ground[3] === 1) return ground;
    }
    return channels('rgb(255, 255, 255)');
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement;
    if (text.data.trim() === '' || ['SCRIPT', 'NOSCRIPT', 'OPTION'].includes(node.tagName) || !isShown(node))
      continue;
    const ratio = contrast(channels(getComputedStyle(node).color), groundOf(node));
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${describe(node)}`);
  }

  for (const control of document.querySelectorAll('button, input, select, textarea, summary, a[href]')) {
    if (!isShown(control)) continue;
    const target = ['radio', 'checkbox'].includes(control.type) ? control.closest('label') : control;
    const { width, height } = target.getBoundingClientRect();
    if (width < 44 || height < 44) faults.push(`target ${width} × ${height}: ${describe(control)}`);
    const isForm = ['INPUT', 'SELECT', 'TEXTAREA'].includes(control.tagName);
    if (isForm ? control.labels.length === 0 : control.textContent.trim() === '') {
      faults.push(`no name: ${describe(control)}`);
    }
  }

  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of new Set(ids)) {
    if (ids.filter((other) => other === id).length > 1) faults.push(`id twice: ${id}`);
  }
  for (const node of document.querySelectorAll('[style]')) faults.push(`inline style: ${describe(node)}`);
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')]
    .filter(isShown)
    .map((node) => Number(node.localName[1]));
  if (levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1)
    faults.push('not exactly one h1 first');
  if (levels.some((level, index) => index > 0 && level > levels[index - 1] + 1))
    faults.push('a heading level is left out');
  return faults;
})();
