import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetOverview, PoolGroup } from '../../../../src/fleet/fleet-overview.js';
import { fleetPage } from '../../../../src/fleet/fleet-page.js';
import { type BrowserPage, inBrowser } from '../../harness/browser.js';
import type { Group, Proof } from '../../harness/group.js';

const HOSTILE = `</script><img src=x onerror="document.title='taken'">\u202e`;
const small: FleetOverview = {
  groups: [
    {
      pools: ['hangzhou', 'ningbo'],
      hostNetwork: true,
      nodes: 3,
      runs: ['DaemonSet edge/agent'],
      excluded: [{ workload: 'Deployment shop/web', reason: 'excluded from host-network nodes' }],
      others: [{ workload: `Deployment shop/${HOSTILE}`, outcome: 'never starts', reason: `it needs ${HOSTILE}` }],
    },
    {
      pools: ['office'],
      hostNetwork: false,
      runs: ['DaemonSet edge/agent', 'Deployment shop/web', `Deployment shop/${HOSTILE}`],
      excluded: [],
      others: [],
    },
  ],
};

/** One workload for each outcome on the first pool; on the second one all that have a problem wait. */
const others = ['unknown', 'waits', 'port taken', 'no room', 'never starts'] as const;
const mixed: FleetOverview = {
  groups: [true, false].map((isFirst): PoolGroup => ({
    pools: [isFirst ? 'a' : 'b'],
    hostNetwork: true,
    runs: ['DaemonSet edge/runs', 'DaemonSet edge/stuck rollout'],
    stuckRollouts: isFirst ? [{ workload: 'DaemonSet edge/stuck rollout', reason: 'maxSurge' }] : [],
    excluded: [{ workload: 'DaemonSet edge/excluded', reason: 'only c' }],
    others: others.map((outcome) => ({
      workload: `DaemonSet edge/${outcome}`,
      outcome: isFirst ? outcome : 'waits',
      reason: 'because',
    })),
  })),
};

/** 1,000 pools that all differ, and 200 workloads. */
const large: FleetOverview = {
  groups: Array.from({ length: 1000 }, (_, pool): PoolGroup => {
    const workloads = Array.from({ length: 200 }, (__, index) => `Deployment shop/web-${index}`);
    const kind = (index: number): number => (pool * 7 + index * 13) % 11;
    return {
      pools: [`site-${pool}`],
      hostNetwork: true,
      runs: workloads.filter((_name, index) => kind(index) < 9),
      excluded: workloads
        .filter((_name, index) => kind(index) === 9)
        .map((workload) => ({ workload, reason: 'excluded from host-network nodes' })),
      others: workloads
        .filter((_name, index) => kind(index) === 10)
        .map((workload) => ({ workload, outcome: 'port taken', reason: `by DaemonSet edge/agent-${pool % 5}` })),
    };
  }),
};

const press = async (page: BrowserPage, key: string, modifiers = 0): Promise<void> => {
  await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key, modifiers });
  await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
};
const set = (id: string, value: string): string =>
  `(() => { const field = document.getElementById('${id}'); field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event('input', { bubbles: true })); })()`;
const DETAIL = `document.getElementById('detail').textContent`;
const CELLS = `[...document.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent)`;
const NAMES = `[...document.querySelectorAll('.sides .at')].map((name) => name.textContent)`;

async function provesReading(proof: Proof, page: BrowserPage): Promise<void> {
  proof.same('its cells', await page.value(CELLS), [
    ...['✕ never starts', '● runs', '● runs', '● runs', '○ excluded', '● runs'],
  ]);
  proof.same('a hostile name is text', await page.value('[document.title, document.images.length]'), [
    'Workloads and pools',
    0,
  ]);
  proof.same('it loads nothing', await page.value(`performance.getEntriesByType('resource').length`), 0);
  await page.value(`document.getElementById('grid').focus()`);
  await press(page, 'ArrowDown');
  await press(page, 'ArrowUp');
  proof.same(
    'the arrow keys tell the reason',
    await page.value(DETAIL),
    `Deployment shop/${HOSTILE} on hangzhou, ningbo (host network, 3 nodes): never starts: it needs ${HOSTILE}`,
  );
  proof.same(
    'a screen reader is told the same',
    await page.value(
      `document.getElementById(document.getElementById('grid').getAttribute('aria-activedescendant')).getAttribute('aria-label')`,
    ),
    `Deployment shop/${HOSTILE} on hangzhou: never starts. it needs ${HOSTILE}`,
  );
  await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 340, y: 210 });
  proof.same(
    'the mouse, too',
    await page.value(DETAIL),
    'Deployment shop/web on hangzhou, ningbo (host network, 3 nodes): excluded: excluded from host-network nodes',
  );
  await page.value(set('workloads', 'WEB'));
  proof.same('workloads by a part of the name', await page.value(NAMES), ['Deployment shop/web']);
  await page.value(set('workloads', ''));
  await page.value(set('outcome', 'problems'));
  proof.same('only problems', await page.value(NAMES), [`Deployment shop/${HOSTILE}`]);
  await page.value(set('outcome', ''));
  await page.value(`document.querySelector('[role=columnheader]').click()`);
  proof.same('a click on a pool sorts by it', await page.value(NAMES), [
    `Deployment shop/${HOSTILE}`,
    'Deployment shop/web',
    'DaemonSet edge/agent',
  ]);
  await page.value(set('order', 'name'));
  proof.same('by name', await page.value(NAMES), [
    'DaemonSet edge/agent',
    `Deployment shop/${HOSTILE}`,
    'Deployment shop/web',
  ]);
}

async function provesOrder(proof: Proof, page: BrowserPage): Promise<void> {
  const order = async (): Promise<string> =>
    String(await page.value(`(${NAMES}).map((name) => name.replace('DaemonSet edge/', '')).join()`));
  const hard = 'never starts,no room,port taken';
  proof.same(
    'what is wrong stands before what waits',
    await order(),
    `${hard},stuck rollout,waits,unknown,excluded,runs`,
  );
  await page.value(`document.querySelector('[role=columnheader]').click()`);
  proof.same('so it does by a pool', await order(), `${hard},stuck rollout,waits,unknown,excluded,runs`);
  await page.value(set('outcome', 'stuck rollout'));
  proof.same('a rollout that is stuck is found', await order(), 'stuck rollout');
}

/** Of text and its background by WCAG 2. */
const CONTRAST = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/\\d+/g).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const back = light(getComputedStyle(document.body).backgroundColor);
  return Math.min(...[...document.querySelectorAll('.at, #detail, #legend span')].map((each) => {
    const text = light(getComputedStyle(each).color);
    return Math.max(text, back) / Math.min(text, back);
  }));
})()`;

async function provesThemes(proof: Proof, page: BrowserPage): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
    const contrast = Number(await page.value(CONTRAST));
    proof.that(`${theme}: every text has a contrast of 4.5`, contrast >= 4.5, contrast);
  }
}

async function provesSize(proof: Proof, page: BrowserPage): Promise<void> {
  proof.that(
    'only what is in sight is in the document',
    Number(await page.value(`document.querySelectorAll('*').length`)) < 1000,
  );
  await page.value(`document.getElementById('grid').focus()`);
  await press(page, 'End', 2);
  proof.same(
    'the last cell of 200,000 is reached',
    await page.value(`document.getElementById('grid').getAttribute('aria-activedescendant')`),
    'cell-199-999',
  );
  // a bound that a page which draws all cells does not meet on any machine; what it takes is not reported
  const longest = await page.value(`(() => {
    const times = [];
    for (const value of ['1', '', '7', '']) {
      const begin = performance.now();
      ${`document.getElementById('workloads').value = value;`}
      document.getElementById('workloads').dispatchEvent(new Event('input', { bubbles: true }));
      document.body.offsetHeight;
      times.push(performance.now() - begin);
    }
    return Math.max(...times);
  })()`);
  proof.that('a filter of 200,000 cells answers within a second', Number(longest) < 1000, longest);
}

export const placementPage: Group = {
  name: 'page',
  claim:
    'the page of `show --format html` in a browser: cells, reasons by keyboard and mouse, filters, order, both themes with a contrast of 4.5; hostile names stay text; nothing is loaded; 1,000 pools by 200 workloads are drawn only where they are seen',
  programs: 'Chromium of this machine, without a window',
  tools: [],
  needs: ['chromium'],
  run: async (proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      for (const [name, overview, proves] of [
        ['small', small, [provesReading, provesThemes]],
        ['mixed', mixed, [provesOrder]],
        ['large', large, [provesSize]],
      ] as const) {
        const file = join(folder, `${name}.html`);
        writeFileSync(file, fleetPage(overview));
        await inBrowser(file, async (page) => {
          for (const prove of proves) {
            await prove(proof, page);
          }
        });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
