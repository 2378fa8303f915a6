import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetOverview, PoolGroup } from '../../../../src/fleet/fleet-overview.js';
import { fleetPage } from '../../../../src/fleet/fleet-page.js';
import { fleetPicture } from '../../../../src/fleet/fleet-picture.js';
import { cellOf, type FleetReport } from '../../../../src/fleet/fleet-report.js';
import { simulateOutage } from '../../../../src/fleet/simulate-outage.js';
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

const POOLS = ['hangzhou', 'ningbo', 'office'];
const outage = (lasts: string): ReturnType<typeof simulateOutage> =>
  simulateOutage(
    [
      ...POOLS.map((name) => ({
        ...{ apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', metadata: { name } },
        spec: { type: 'Edge' },
      })),
      {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: HOSTILE, namespace: 'shop' } },
        spec: { replicas: 2, template: { spec: { containers: [{ name: 'main', image: 'main' }] } } },
      },
    ],
    { down: { pools: ['hangzhou'] }, for: lasts, nodes: Object.fromEntries(POOLS.map((name) => [name, 3])) },
  );

/** The report of the small fleet, in which every text that can be hostile is. */
const report: FleetReport = {
  source: HOSTILE,
  overview: small,
  sites: [
    {
      pools: POOLS.map((name) => ({
        ...{ pools: [name], hostNetwork: name !== 'office', nodes: 3 },
        ...{ runs: [], excluded: [], others: [] },
      })),
      reasons: new Map([
        [
          cellOf('hangzhou', `Deployment shop/${HOSTILE}`),
          [{ by: 'kubelet', reason: `it needs ${HOSTILE}`, at: `${HOSTILE}.yaml:12` }],
        ],
      ]),
      outages: new Map([['hangzhou', new Map(['1m', '5m', '10m', '1h'].map((each) => [each, outage(each)]))]]),
    },
  ],
  findings: [
    {
      ...{ code: 'EDGE_NEVER_STARTS', level: 'error', path: 'spec', message: `never starts: ${HOSTILE}` },
      ...{ hint: `write ${HOSTILE}`, object: `Deployment shop/${HOSTILE}`, file: `${HOSTILE}.yaml`, line: 12 },
    },
    {
      ...{ code: 'EDGE_ROLLOUT', level: 'warning', path: '', message: 'later', hint: 'write it' },
      ...{ object: 'DaemonSet edge/agent', file: 'agent.yaml' },
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
const PANE = `document.getElementById('pane').hidden ? 'closed' : document.getElementById('inner').innerText`;
const FOCUS = `document.activeElement.id`;
const CELLS = `[...document.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent)`;
const NAMES = `[...document.querySelectorAll('.sides .at')].map((name) => name.title)`;

async function provesReading(proof: Proof, page: BrowserPage): Promise<void> {
  proof.same('its cells', await page.value(CELLS), [
    ...['✕ never starts', '● runs', '● runs', '● runs', '○ excluded', '● runs'],
  ]);
  proof.same('a hostile name is text', await page.value('[document.title, document.images.length]'), [
    'Fleet report',
    0,
  ]);
  proof.same('it loads nothing', await page.value(`performance.getEntriesByType('resource').length`), 0);
  await page.value(`document.getElementById('grid').focus()`);
  await press(page, 'ArrowDown');
  await press(page, 'ArrowUp');
  proof.same(
    'a screen reader is told the reason',
    await page.value(
      `document.getElementById(document.getElementById('grid').getAttribute('aria-activedescendant')).getAttribute('aria-label')`,
    ),
    `Deployment shop/${HOSTILE} on hangzhou and 1 more: never starts. it needs ${HOSTILE}`,
  );
  await press(page, 'Enter');
  const told = String(await page.value(PANE));
  proof.that(
    'Enter opens the pane: reason, line and what to write',
    [`kubelet · ${HOSTILE}.yaml:12`, `it needs ${HOSTILE}`, `write ${HOSTILE}`].every((each) => told.includes(each)),
    told,
  );
  proof.same('the keyboard is in the pane', await page.value(FOCUS), 'close');
  await press(page, 'Escape');
  proof.same('Escape closes it, and the keyboard is where it was', await page.value(`[${PANE}, ${FOCUS}]`), [
    'closed',
    'grid',
  ]);
  await page.value(`document.querySelectorAll('[role=gridcell]')[4].click()`);
  proof.that(
    'a click opens it, too',
    /^Deployment shop\/web\s+on hangzhou, ningbo \(host network, 3 nodes\)\s+○ excluded/.test(
      String(await page.value(PANE)),
    ),
  );
  await press(page, 'Escape');
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

const ALL = (selector: string): string =>
  `[...document.querySelectorAll('${selector}')].map((each) => each.innerText.replace(/\\s+/g, ' ').trim())`;

async function provesReport(proof: Proof, page: BrowserPage): Promise<void> {
  proof.same('what there is', await page.value(ALL('.ring')), ['1/3', '2/3', '2']);
  proof.same('errors stand before warnings', await page.value(ALL('summary b')), [
    `Deployment shop/${HOSTILE}`,
    'DaemonSet edge/agent',
  ]);
  proof.same(
    'pools with problems stand first, each with its nodes',
    await page.value(ALL('#map button')),
    ['hangzhou', 'ningbo']
      .map((name) => `${name} host network 3 nodes 1 problem 1 excluded 1 runs`)
      .concat('office regular 3 nodes 3 run'),
  );
  await page.value(`document.querySelector('#map button').click()`);
  proof.that('a pool opens the pane', String(await page.value(PANE)).startsWith('hangzhou'));
  await page.value(`document.querySelector('#inner > button').click()`);
  proof.same('its outage is one step away', await page.value(FOCUS), 'down');
  const fates = async (lasts: string): Promise<string> => {
    await page.value(`document.querySelector('#durations [value="${lasts}"]').click()`);
    return String(await page.value(`document.getElementById('outage').innerText`));
  };
  const [short, long] = [await fates('1m'), await fates('10m')];
  const textOf = (lasts: string): string => String(outage(lasts).workloads[0]?.outcome);
  proof.that(
    'how long the outage lasts changes what is told, as simulate does',
    short.includes('unreachable for 60 s') && short.includes(textOf('1m')) && long.includes(textOf('10m')),
    [short, long],
  );
}

const DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

async function provesWidths(proof: Proof, page: BrowserPage): Promise<void> {
  const wide = `[document.documentElement.scrollWidth <= innerWidth, [...document.querySelectorAll('[role=gridcell]')].length > 0]`;
  for (const width of [400, 800, 1280]) {
    const metrics = { width, height: 800, deviceScaleFactor: 1, mobile: false };
    await page.send('Emulation.setDeviceMetricsOverride', metrics);
    await page.value(DRAWN);
    proof.same(`${width} px: the page does not scroll to the side`, await page.value(wide), [true, true]);
  }
  await page.send('Emulation.clearDeviceMetricsOverride');
}

async function provesPaper(proof: Proof, page: BrowserPage): Promise<void> {
  await page.send('Emulation.setEmulatedMedia', { media: 'print' });
  await page.value(DRAWN);
  const printed = `[document.querySelectorAll('details:not([open])').length, getComputedStyle(document.getElementById('form')).display]`;
  proof.same('paper has all of each finding, and no forms', await page.value(printed), [0, 'none']);
  const { data } = await page.send('Page.printToPDF');
  proof.that('it prints', String(data).length > 1000);
  await page.send('Emulation.setEmulatedMedia', { media: '' });
}

/** Texts that reach over the border of their place. */
const OVERFLOWING = `[...document.querySelectorAll('g > .place')].flatMap((place) => {
  const border = place.getBoundingClientRect();
  return [...place.parentElement.querySelectorAll('text')]
    .filter((text) => text.getBoundingClientRect().right > border.right - 8)
    .map((text) => text.textContent);
})`;

async function provesPicture(proof: Proof, page: BrowserPage): Promise<void> {
  proof.same('the picture: no text leaves its place', await page.value(OVERFLOWING), []);
  proof.same('a hostile name is text there', await page.value(`document.getElementsByTagName('img').length`), 0);
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

/** Of every text and what is behind it, by WCAG 2. */
const CONTRAST = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const behind = (each) => {
    const color = getComputedStyle(each).backgroundColor;
    return color === 'rgba(0, 0, 0, 0)' && each.parentElement !== null ? behind(each.parentElement) : color;
  };
  const hasText = (each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const shown = [...document.body.querySelectorAll('*')].filter((each) => hasText(each) && each.checkVisibility());
  return shown
    .map((each) => {
      const [text, back] = [getComputedStyle(each).color, behind(each)].map(light);
      return [Math.max(text, back) / Math.min(text, back), each.textContent];
    })
    .sort((a, b) => a[0] - b[0])[0];
})()`;

async function provesThemes(proof: Proof, page: BrowserPage): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
    await page.value(`document.querySelectorAll('details, [role=gridcell]').forEach((each) => each.click())`);
    const [contrast, text] = (await page.value(CONTRAST)) as [number, string];
    proof.that(`${theme}: every text has a contrast of 4.5`, contrast >= 4.5, [contrast, text]);
  }
}

async function provesSize(proof: Proof, page: BrowserPage): Promise<void> {
  proof.that(
    'of the table only what is in sight is in the document',
    Number(await page.value(`document.querySelectorAll('#grid *').length`)) < 1000,
  );
  // of the processor, because this machine may have other things to do
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await page.send('Performance.getMetrics');
    return (
      (metrics as readonly { name: string; value: number }[]).find(({ name }) => name === 'TaskDuration')?.value ?? 0
    );
  };
  const before = await busy();
  await page.value(`summarize(); listFindings(LISTED); drawMap(); choose(); document.body.offsetHeight`);
  const drawn = (await busy()) - before;
  proof.that('1,000 pools by 200 workloads are drawn within a second', drawn < 1, drawn);
  await page.value(`document.getElementById('squares').firstChild.focus()`);
  await press(page, 'End');
  await press(page, 'ArrowLeft');
  proof.that(
    'the arrow keys move among the pools',
    /^site-\d+: \d+ problems?, /.test(String(await page.value(`document.activeElement.title`))),
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
    'the page of `show --format html` in a browser: findings, pools with their nodes, cells, a pane with reasons and lines by keyboard and mouse, filters, order, outages, both themes with a contrast of 4.5, 400 px, paper; in that of `--format svg` no text leaves its place; hostile names stay text; nothing is loaded; 1,000 pools by 200 workloads are drawn only where they are seen',
  programs: 'Chromium of this machine, without a window',
  tools: [],
  needs: ['chromium'],
  run: async (proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      const pageOf = (overview: FleetOverview): string =>
        fleetPage({ source: 'dist', overview, sites: [], findings: [] });
      for (const [file, text, proves] of [
        ['small.html', fleetPage(report), [provesReading, provesReport, provesThemes, provesWidths, provesPaper]],
        ['mixed.html', pageOf(mixed), [provesOrder]],
        ['large.html', pageOf(large), [provesSize]],
        ['small.svg', fleetPicture(small), [provesPicture]],
      ] as const) {
        const path = join(folder, file);
        writeFileSync(path, text);
        await inBrowser(path, async (page) => {
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
