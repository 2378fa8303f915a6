/** The script of fleet-page.html. It shows what is in the data, and judges nothing; of the table only what is in sight is in the document. */
const fleet = JSON.parse(document.getElementById('fleet').textContent);
const SIGNS = {
  'never starts': '✕',
  'no room': '▣',
  'port taken': '◆',
  'stuck rollout': '↻',
  waits: '…',
  unknown: '?',
  excluded: '○',
  runs: '●',
};
const OUTCOMES = Object.keys(SIGNS);
// what keeps Pods from running, or changes from coming, counts more than what waits and what is not known
const KINDS = { bad: OUTCOMES.slice(0, 4), open: ['waits', 'unknown'], out: ['excluded'], good: ['runs'] };
const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, outcomes]) => outcomes.map((each) => [each, kind])));
const kindOf = (outcome) => KIND_OF.get(outcome) ?? '';
const WORST = [...OUTCOMES, ''];
// with --only-problems: it runs there, or is excluded
const NOTHING = ['', '', []];
const SIZE = { row: 34, head: 52 };
const NARROW = window.matchMedia('(max-width: 720px)');
const [CARDS, LISTED, NODES] = [12, 12, 24];
const byId = (id) => document.getElementById(id);
const [grid, sheet, form, pane] = ['grid', 'sheet', 'form', 'pane'].map(byId);
const [heads, sides, cells] = ['.heads', '.sides', '.cells'].map((name) => sheet.querySelector(name));
const counted = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** An element of texts and elements: no text is ever markup. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => value !== undefined && made.setAttribute(name, value));
  made.append(...children.filter((child) => child !== undefined));
  return made;
}
const fill = (id, ...children) => byId(id).replaceChildren(...children);

const resultOf = (workload, group) => fleet.results[fleet.groups[group].results[workload]] ?? NOTHING;
const outcomeOf = (workload, group) => resultOf(workload, group)[0];
/** How many outcomes there are of each kind; `ofOutcome` is the position of one. */
function countsOf(outcomes, ofOutcome = KIND_INDEX) {
  const counts = [0, 0, 0, 0];
  outcomes.forEach((outcome) => (counts[ofOutcome.get(outcome) ?? 4] += 1));
  return counts.slice(0, 4);
}
const KIND_INDEX = new Map(OUTCOMES.map((outcome) => [outcome, Object.keys(KINDS).indexOf(kindOf(outcome))]));
const ofGroups = fleet.groups.map((_, group) => countsOf(fleet.workloads.map((__, index) => outcomeOf(index, group))));
const ofWorkloads = fleet.workloads.map((_, index) =>
  countsOf(fleet.groups.map((__, group) => outcomeOf(index, group))),
);
const worst = (counts) => Object.keys(KINDS).find((_, index) => index < 2 && counts[index] > 0) ?? 'good';
const byProblems = (a, b) => b[0] - a[0] || b[1] - a[1];
const namesOf = (group, most = 5) => {
  const names = fleet.groups[group].pools.map((pool) => fleet.pools[pool].name);
  return names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : names.join(', ');
};

// --- summary -------------------------------------------------------------------------------------------------------

function gauge(text, share, style, title) {
  const size = Math.min(20, 110 / String(text).length);
  const look = `--share: ${100 * share}%; font-size: ${size}px`;
  const ring = make('div', { class: `ring ${style}`, style: look }, text);
  return make('div', { class: 'gauge' }, ring, make('small', {}, title));
}

function summarize() {
  const { pools, workloads, findings } = fleet;
  const ofAll = (list, title) => {
    const fine = list.filter((counts) => worst(counts) === 'good').length;
    const style = ['bad', 'open'].find((kind) => list.some((counts) => worst(counts) === kind)) ?? 'good';
    return gauge(`${fine}/${list.length}`, fine / Math.max(1, list.length), style, title);
  };
  const ofPools = pools.map(({ group }) => ofGroups[group]);
  const errors = findings.filter(({ level }) => level === 'error').length;
  const found = errors > 0 ? 'bad' : findings.length > 0 ? 'open' : 'good';
  fill(
    'gauges',
    ofAll(ofPools, 'pools without a problem'),
    ofAll(ofWorkloads, 'workloads without a problem'),
    gauge(findings.length, 0, found, `finding${findings.length === 1 ? '' : 's'} of check`),
  );
  const sites = new Set(pools.flatMap(({ site }) => site ?? [])).size;
  const nodes = pools.reduce((sum, pool) => sum + (pool.nodes ?? 0), 0);
  const more = pools.some((pool) => pool.nodes === undefined) ? 'at least ' : '';
  const facts = [...(sites > 0 ? [counted(sites, 'site')] : []), counted(pools.length, 'pool')];
  facts.push(...(nodes > 0 ? [more + counted(nodes, 'node')] : []), counted(workloads.length, 'workload'));
  byId('source').textContent = fleet.source;
  byId('facts').textContent = [facts.join(', '), ...(fleet.total === undefined ? [] : [fleet.total])].join(' · ');
}

// --- findings ------------------------------------------------------------------------------------------------------

const facts = (pairs) =>
  make(
    'dl',
    {},
    ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  );

/** The button for what is not listed yet. */
function moreOf(all, most, show) {
  const more = make('button', { type: 'button', class: 'more' }, `Show all ${all}`);
  more.addEventListener('click', show);
  return all > most ? [more] : [];
}

function listFindings(most) {
  const errors = fleet.findings.filter(({ level }) => level === 'error');
  const all = [...errors, ...fleet.findings.filter(({ level }) => level !== 'error')];
  const warnings = all.length - errors.length;
  byId('found').textContent =
    all.length === 0
      ? '✓ check found nothing.'
      : `${counted(errors.length, 'error')}, ${counted(warnings, 'warning')}, as check tells them.`;
  const rows = all.slice(0, most).map(({ level, code, object, site, at, message, hint }) =>
    make(
      'details',
      {},
      make(
        'summary',
        {},
        make('i', { class: level === 'error' ? 'bad' : 'open', 'aria-label': level }, level === 'error' ? '▲' : '■'),
        make('b', {}, [site, object].filter(Boolean).join(': ') || at),
        make('span', {}, message.replace(/^\S+: /, '')),
      ),
      make(
        'div',
        { class: 'body' },
        facts([
          ['Wrong', message],
          ['Place', at && make('code', {}, at)],
          ['Write', hint],
          ['Code', make('code', {}, code)],
        ]),
      ),
    ),
  );
  fill('findings', ...rows, ...moreOf(all.length, most, () => listFindings(Infinity)));
}

// --- the map -------------------------------------------------------------------------------------------------------

function nodesOf({ nodes, group }) {
  const style = worst(ofGroups[group]);
  const shown = Array.from({ length: Math.min(nodes ?? 0, NODES) }, () => make('i', { class: style }));
  const text = nodes === undefined ? 'number of nodes unknown' : counted(nodes, 'node');
  return make('span', { class: `nodes ${style}` }, ...shown, make('small', {}, text));
}

const TITLES = [
  ['problem', 'problems'],
  ['unsettled', 'unsettled'],
  ['excluded', 'excluded'],
  ['runs', 'run'],
];
function countTexts(counts) {
  return counts.flatMap((count, index) => {
    const title = TITLES[index][count === 1 ? 0 : 1];
    return count === 0 ? [] : [make('span', { class: Object.keys(KINDS)[index] }, `${count} ${title}`)];
  });
}

function poolButton(index, style) {
  const { name, site, host, group } = fleet.pools[index];
  const counts = ofGroups[group];
  const parts = counts.map((count, at) => make('i', { class: Object.keys(KINDS)[at], style: `flex: ${count}` }));
  const short = site === undefined ? name : name.slice(site.length + 1);
  return make(
    'button',
    { type: 'button', class: style, 'data-pool': index },
    make('b', {}, short, make('small', {}, host ? 'host network' : 'regular')),
    nodesOf(fleet.pools[index]),
    make('span', { class: 'bar' }, ...parts.filter((_, at) => counts[at] > 0)),
    make('span', { class: 'counts' }, ...countTexts(counts)),
  );
}

function drawMap() {
  const places = new Map();
  fleet.pools.forEach(({ name, site }, index) => {
    const key = site === undefined ? `pool ${name}` : `site ${site}`;
    places.set(key, { site, pools: [...(places.get(key)?.pools ?? []), index] });
  });
  const countOf = ({ pools }) =>
    pools.reduce((sum, pool) => sum.map((each, at) => each + ofGroups[fleet.pools[pool].group][at]), [0, 0, 0, 0]);
  const byPool = (a, b) => byProblems(ofGroups[fleet.pools[a].group], ofGroups[fleet.pools[b].group]);
  const ordered = [...places.values()]
    .map((place) => ({ ...place, pools: place.pools.sort(byPool), counts: countOf(place) }))
    .sort((a, b) => byProblems(a.counts, b.counts));
  const isLarge = ordered.length > CARDS;
  const cards = ordered.slice(0, CARDS).map(({ site, pools, counts }) => {
    const [first] = pools;
    return site === undefined
      ? poolButton(first, 'pool place')
      : make(
          'div',
          { class: 'place' },
          make('h3', {}, site),
          make('span', { class: 'counts' }, ...countTexts(counts)),
          ...pools.map((pool) => poolButton(pool, 'pool')),
        );
  });
  const squares = ordered.slice(CARDS).flatMap(({ pools }) => pools);
  const nouns = fleet.pools.some(({ site }) => site !== undefined) ? 'sites' : 'pools';
  byId('mapped').textContent =
    `What becomes of workloads there; problems first.${isLarge ? ` The first ${CARDS} of ${ordered.length} ${nouns}, and a square for each other pool.` : ''}`;
  fill('map', ...cards);
  fill(
    'squares',
    ...squares.map((index, at) => {
      const { name, group } = fleet.pools[index];
      const title = `${name}: ${countTexts(ofGroups[group])
        .map((each) => each.textContent)
        .join(', ')}`;
      const label = { 'aria-label': title, title, tabindex: at === 0 ? 0 : -1 };
      return make('button', { type: 'button', class: worst(ofGroups[group]), 'data-pool': index, ...label });
    }),
  );
}

byId('fleet-map').addEventListener('click', ({ target }) => {
  const button = target.closest('[data-pool]');
  if (button !== null) {
    openPane(poolPane(Number(button.dataset.pool)), button);
  }
});
byId('squares').addEventListener('keydown', (event) => {
  const all = [...byId('squares').children];
  const wide = all.filter(({ offsetTop }) => offsetTop === all[0].offsetTop).length;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide, Home: -Infinity, End: Infinity };
  if (step[event.key] !== undefined) {
    event.preventDefault();
    const next = all.indexOf(event.target) + step[event.key];
    all[Math.min(all.length - 1, Math.max(0, next))].focus();
  }
});
byId('squares').addEventListener('focusin', ({ target }) => {
  [...byId('squares').children].forEach((each) => each.setAttribute('tabindex', each === target ? 0 : -1));
});

// --- the pane ------------------------------------------------------------------------------------------------------

let opener;
function openPane(content, from, takesFocus = true) {
  opener = from;
  fill('inner', ...content);
  pane.hidden = false;
  pane.scrollTo(0, 0);
  document.body.classList.add('with-pane');
  if (takesFocus) {
    byId('close').focus({ preventScroll: true });
  }
}
function closePane() {
  pane.hidden = true;
  document.body.classList.remove('with-pane');
  opener?.focus({ preventScroll: true });
}
byId('close').addEventListener('click', closePane);
document.addEventListener('keydown', ({ key }) => key === 'Escape' && !pane.hidden && closePane());

const titled = (title, ...items) =>
  items.length === 0 ? [] : [make('h3', {}, title), make('ul', {}, ...items.map((item) => make('li', {}, ...item)))];
const badge = (outcome) =>
  make('span', { class: `badge ${kindOf(outcome)}` }, outcome === '' ? 'no problem' : `${SIGNS[outcome]} ${outcome}`);

function cellPane(workload, group) {
  const [outcome, reason, reasons] = resultOf(workload, group);
  const name = fleet.workloads[workload];
  const { pools, facts: about } = fleet.groups[group];
  const told = reasons.map((each) => fleet.reasons[each]);
  const whys = told.length === 0 && reason !== '' ? [['', reason, '']] : told;
  const sites = new Set(pools.map((pool) => fleet.pools[pool].site));
  const found = fleet.findings.filter(({ object, site }) => object === name && sites.has(site));
  return [
    make('h2', { id: 'pane-title' }, name),
    make('p', { class: 'muted' }, `on ${namesOf(group)} (${about})`),
    make('p', {}, badge(outcome)),
    ...titled('Why', ...whys.map(([by, why, at]) => [why, make('code', {}, [by, at].filter(Boolean).join(' · '))])),
    ...(pools.length > 1 && told.length > 0
      ? [make('p', { class: 'muted' }, `The reasons on ${fleet.pools[pools[0]].name}; the result is the same on all.`)]
      : []),
    ...titled(
      'What to write',
      ...found.map(({ hint, message, at }) => [hint, make('small', {}, message), make('code', {}, at)]),
    ),
    ...titled('Elsewhere', ...elsewhere(workload, group)),
  ];
}

function elsewhere(workload, here) {
  const others = fleet.groups.map((_, group) => group).filter((group) => group !== here);
  const most = others
    .slice(0, 20)
    .map((group) => [link(namesOf(group, 2), workload, group), ' ', outcomeOf(workload, group)]);
  return others.length > 20 ? [...most, [`and on ${others.length - 20} more`]] : most;
}

function link(text, workload, group) {
  const made = make('button', { type: 'button' }, text);
  made.addEventListener('click', () => openPane(cellPane(workload, group), opener));
  return made;
}

function poolPane(index) {
  const { name, group } = fleet.pools[index];
  const { pools, saved } = fleet.groups[group];
  const out = make('button', { type: 'button' }, 'What an outage of it does');
  out.addEventListener('click', () => {
    byId('down').value = index;
    simulated();
    closePane();
    byId('fleet-outage').scrollIntoView();
    byId('down').focus({ preventScroll: true });
  });
  const all = fleet.workloads.map((_, workload) => workload);
  const { host, nodes } = fleet.pools[index];
  const many = nodes === undefined ? 'number of nodes unknown' : counted(nodes, 'node');
  const alike = pools.length === 1 ? '' : `; ${counted(pools.length - 1, 'other pool')} with the same results`;
  return [
    make('h2', { id: 'pane-title' }, name),
    make('p', { class: 'muted' }, `${host ? 'host network' : 'regular'}, ${many}${alike}`),
    ...(saved === undefined ? [] : [make('p', {}, `Requests that each node saves: ${saved}`)]),
    ...(fleet.away.some(([pool]) => pool === name) ? [out] : []),
    ...OUTCOMES.flatMap((outcome) => {
      const those = all.filter((workload) => outcomeOf(workload, group) === outcome);
      const why = (workload) =>
        resultOf(workload, group)[1] === '' ? [] : [make('small', {}, ` ${resultOf(workload, group)[1]}`)];
      return titled(
        `${SIGNS[outcome]} ${outcome} (${those.length})`,
        ...those.map((workload) => [link(fleet.workloads[workload], workload, group), ...why(workload)]),
      );
    }),
  ];
}

// --- the table -----------------------------------------------------------------------------------------------------

// what is shown: positions of workloads and of groups
let rows = [];
let columns = [];
let active = { row: 0, column: 0 };
let sortedBy;
let printed;

function choose() {
  const has = (text, part) => text.toLowerCase().includes(part.trim().toLowerCase());
  const wanted = byId('outcome').value;
  const fits = (outcome) =>
    wanted === 'problems' ? ['bad', 'open'].includes(kindOf(outcome)) : wanted === '' || outcome === wanted;
  columns = fleet.groups.flatMap(({ pools }, index) =>
    pools.some((pool) => has(fleet.pools[pool].name, byId('pools').value)) ? [index] : [],
  );
  rows = fleet.workloads.flatMap((name, index) =>
    has(name, byId('workloads').value) && columns.some((group) => fits(outcomeOf(index, group))) ? [index] : [],
  );
  rows.sort((a, b) => (fleet.workloads[a] < fleet.workloads[b] ? -1 : 1));
  if (byId('order').value === 'problems') {
    // what waits counts more than what is not known
    const ranks = new Map([...KINDS.bad.map((each) => [each, 0]), ['waits', 1], ['unknown', 2]]);
    const shown = new Map(
      rows.map((row) => [
        row,
        countsOf(
          columns.map((group) => outcomeOf(row, group)),
          ranks,
        ),
      ]),
    );
    rows.sort((a, b) => byProblems(shown.get(a), shown.get(b)) || shown.get(b)[2] - shown.get(a)[2]);
    columns.sort((a, b) => byProblems(ofGroups[a], ofGroups[b]));
  }
  if (columns.includes(sortedBy)) {
    rows.sort((a, b) => WORST.indexOf(outcomeOf(a, sortedBy)) - WORST.indexOf(outcomeOf(b, sortedBy)));
  }
  active = { row: 0, column: 0 };
  byId('count').textContent =
    `${rows.length} of ${fleet.workloads.length} workloads, ${columns.length} of ${fleet.groups.length} columns`;
  grid.setAttribute('aria-rowcount', rows.length + 1);
  grid.setAttribute('aria-colcount', columns.length + 1);
  grid.scrollTo(0, 0);
  draw();
}

/** The columns are as wide as the screen lets them. */
function sizes() {
  SIZE.row = NARROW.matches ? 46 : 34;
  const side = Math.round(Math.min(320, Math.max(120, grid.clientWidth * 0.4)));
  const least = grid.clientWidth < 600 ? 112 : 160;
  return { side, column: Math.max(least, (grid.clientWidth - side) / Math.max(1, columns.length)) };
}

function placed(place, text, attributes) {
  const made = make('div', { ...attributes, class: `at ${attributes.class ?? ''}` }, text);
  Object.assign(made.style, place);
  return made;
}

/** What is in sight; all that fits on paper, if it is printed. */
function inSight({ column }) {
  const firstRow = printed ? 0 : Math.max(0, Math.floor(grid.scrollTop / SIZE.row) - 2);
  const firstColumn = printed ? 0 : Math.max(0, Math.floor(grid.scrollLeft / column) - 1);
  return {
    firstRow,
    firstColumn,
    lastRow: Math.min(rows.length, printed ? 500 : firstRow + Math.ceil(grid.clientHeight / SIZE.row) + 4),
    lastColumn: Math.min(columns.length, firstColumn + Math.ceil(grid.clientWidth / column) + 2),
  };
}

// only what is in sight is in the document
function draw() {
  const size = sizes();
  const [width, height] = [columns.length * size.column, Math.max(rows.length, 1) * SIZE.row];
  sheet.style.gridTemplate = `${SIZE.head}px ${height}px / ${size.side}px ${width}px`;
  const { firstRow, firstColumn, lastRow, lastColumn } = inSight(size);
  const left = (column) => ({ left: `${column * size.column}px`, width: `${size.column}px` });
  const top = (row) => ({ top: `${row * SIZE.row}px` });
  const [newHeads, newSides, newCells] = [[], [], []];
  for (let column = firstColumn; column < lastColumn; column += 1) {
    const { pools, facts: about } = fleet.groups[columns[column]];
    const more = pools.length > 1 ? ` +${pools.length - 1}` : '';
    const head = placed(left(column), `${fleet.pools[pools[0]].name}${more}`, {
      role: 'columnheader',
      'aria-colindex': column + 2,
      'data-column': column,
      title: namesOf(columns[column], 30),
    });
    head.append(make('small', {}, about));
    newHeads.push(head);
  }
  for (let row = firstRow; row < lastRow; row += 1) {
    const name = fleet.workloads[rows[row]];
    const [kind] = name.split(' ', 1);
    const side = placed(top(row), `${name.slice(kind.length + 1)} `, { role: 'presentation', title: name });
    side.append(make('small', {}, kind));
    side.style.width = `${size.side}px`;
    newSides.push(side);
    const line = make('div', { role: 'row', 'aria-rowindex': row + 2 });
    for (let column = firstColumn; column < lastColumn; column += 1) {
      const [outcome, reason] = resultOf(rows[row], columns[column]);
      const isActive = row === active.row && column === active.column;
      line.append(
        placed({ ...left(column), ...top(row) }, outcome === '' ? '' : `${SIGNS[outcome]} ${outcome}`, {
          role: 'gridcell',
          id: `cell-${row}-${column}`,
          class: `${kindOf(outcome)}${isActive ? ' active' : ''}`,
          'aria-colindex': column + 2,
          'aria-label': `${name} on ${namesOf(columns[column], 1)}: ${outcome || 'no problem'}. ${reason}`,
          title: reason,
          'data-row': row,
          'data-column': column,
        }),
      );
    }
    newCells.push(line);
  }
  heads.replaceChildren(...newHeads);
  sides.replaceChildren(...newSides);
  cells.replaceChildren(...newCells);
}

function moveTo(row, column) {
  if (rows.length === 0 || columns.length === 0) {
    return;
  }
  active = {
    row: Math.min(Math.max(row, 0), rows.length - 1),
    column: Math.min(Math.max(column, 0), columns.length - 1),
  };
  const size = sizes();
  const [y, x] = [active.row * SIZE.row, active.column * size.column];
  const [height, width] = [grid.clientHeight - SIZE.head, grid.clientWidth - size.side];
  grid.scrollTo(
    Math.min(x, Math.max(grid.scrollLeft, x + size.column - width)),
    Math.min(y, Math.max(grid.scrollTop, y + SIZE.row - height)),
  );
  draw();
  grid.setAttribute('aria-activedescendant', `cell-${active.row}-${active.column}`);
  if (!pane.hidden) {
    openCell(false);
  }
}

function openCell(takesFocus) {
  if (rows.length > 0 && columns.length > 0) {
    openPane(cellPane(rows[active.row], columns[active.column]), grid, takesFocus);
  }
}

const page = () => Math.max(1, Math.floor((grid.clientHeight - SIZE.head) / SIZE.row) - 1);
const KEYS = {
  ArrowUp: ({ row, column }) => [row - 1, column],
  ArrowDown: ({ row, column }) => [row + 1, column],
  ArrowLeft: ({ row, column }) => [row, column - 1],
  ArrowRight: ({ row, column }) => [row, column + 1],
  PageUp: ({ row, column }) => [row - page(), column],
  PageDown: ({ row, column }) => [row + page(), column],
  Home: ({ row }) => [row, 0],
  End: ({ row }) => [row, Infinity],
};
grid.addEventListener('keydown', (event) => {
  const move = KEYS[event.key];
  if (event.key === 'Enter') {
    openCell(true);
  } else if (move !== undefined) {
    event.preventDefault();
    const [row, column] = event.ctrlKey && event.key === 'Home' ? [0, 0] : move(active);
    moveTo(event.ctrlKey && event.key === 'End' ? Infinity : row, column);
  }
});
cells.addEventListener('click', ({ target }) => {
  if (target.dataset.row !== undefined) {
    moveTo(Number(target.dataset.row), Number(target.dataset.column));
    openCell(false);
  }
});
heads.addEventListener('click', ({ target }) => {
  const head = target.closest('[data-column]');
  if (head !== null) {
    sortedBy = columns[Number(head.dataset.column)];
    choose();
  }
});
grid.addEventListener('scroll', () => requestAnimationFrame(draw));
new window.ResizeObserver(() => requestAnimationFrame(draw)).observe(grid);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => {
  sortedBy = undefined;
  choose();
});

// --- outages -------------------------------------------------------------------------------------------------------

const STYLES = {
  runs: 'Ready',
  silent: 'not Ready, runs on',
  perhaps: 'perhaps evicted',
  evicted: 'evicted, runs on',
  elsewhere: 'replacement',
};

function simulated(most = LISTED) {
  const name = fleet.pools[byId('down').value]?.name;
  const [, found] = fleet.away.find(([pool]) => pool === name) ?? [];
  const at = [...byId('durations').querySelectorAll('input')].findIndex(({ checked }) => checked);
  if (found === undefined || typeof found === 'string') {
    fill('outage', make('p', { class: 'muted' }, found ?? 'No outage was simulated.'));
    return;
  }
  const { said, zones, rows: listed, others } = fleet.outages[found[at]];
  const rank = (outcome) => ['evicted', 'perhaps evicted'].indexOf(outcome) >>> 0;
  const fates = listed.map((row) => fleet.rows[row]).sort((a, b) => rank(a[2]) - rank(b[2]));
  const lines = fates
    .slice(0, most)
    .map(([workload, pods, , happens, rule, parts]) =>
      make(
        'tr',
        {},
        make('td', {}, make('b', {}, workload), make('small', {}, ` ${pods === '1' ? '1 Pod' : `${pods} Pods`}`)),
        make('td', {}, happens),
        make(
          'td',
          {},
          make(
            'div',
            { class: 'time', 'aria-hidden': 'true' },
            ...parts.map(([style, from, until]) =>
              make('i', { class: style, style: `left: ${from / 10}%; width: ${Math.max(0.5, (until - from) / 10)}%` }),
            ),
          ),
          make('small', {}, rule),
        ),
      ),
    );
  const head = ['workload', 'what happens', 'when, and why'].map((text) => make('th', { scope: 'col' }, text));
  const keys = Object.entries(STYLES).map(([style, text]) =>
    make('span', { class: 'key' }, make('i', { class: style }), text),
  );
  fill(
    'outage',
    make('p', {}, make('b', {}, name), `: ${said}.`),
    make('p', { class: 'muted' }, zones.join('. ')),
    lines.length === 0
      ? make('p', {}, 'No workload has a Pod there.')
      : make('div', { class: 'box' }, make('table', { id: 'fates' }, make('tr', {}, ...head), ...lines)),
    ...moreOf(fates.length, most, () => simulated(Infinity)),
    make('p', { class: 'muted counts' }, ...keys),
    make('p', { class: 'muted' }, `${counted(others, 'other workload')} without a Pod there.`),
  );
}

function offerOutages() {
  const known = new Set(fleet.away.map(([pool]) => pool));
  const offered = fleet.pools.flatMap(({ name }, index) => (known.has(name) ? [new Option(name, index)] : []));
  fill('down', ...offered);
  const legend = make('legend', { class: 'muted' }, '');
  fill(
    'durations',
    legend,
    ...fleet.durations.map((each, index) => {
      const input = make('input', { type: 'radio', name: 'duration', value: each });
      input.checked = index === 2;
      return make(
        'label',
        {},
        input,
        each.replace(/^(\d+)(\D)$/, (_, count, unit) => `${count} ${unit === 'm' ? 'min' : unit}`),
      );
    }),
  );
  const left = fleet.pools.length - known.size;
  if (left > 0) {
    byId('away').append(make('span', { class: 'muted' }, `${counted(left, 'other pool')}: edge-nodepools simulate`));
  }
  byId('away').addEventListener('input', () => simulated());
  byId('away').addEventListener('submit', (event) => event.preventDefault());
  simulated();
}

// --- paper ---------------------------------------------------------------------------------------------------------

window.matchMedia('print').addEventListener('change', ({ matches }) => {
  printed = matches;
  document.documentElement.classList.toggle('printed', matches);
  document.querySelectorAll('details').forEach((each) => each.toggleAttribute('open', matches));
  draw();
});

for (const outcome of OUTCOMES) {
  byId('outcome').append(new Option(outcome, outcome));
  byId('legend').append(make('span', { class: kindOf(outcome) }, `${SIGNS[outcome]} ${outcome}`));
}
summarize();
listFindings(LISTED);
drawMap();
choose();
offerOutages();
