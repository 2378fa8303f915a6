/** The script of fleet-table.html: the table, of which only what is in sight is in the document. */
const fleet = JSON.parse(document.getElementById('fleet').textContent);
const SIGNS = {
  runs: '●',
  excluded: '○',
  'never starts': '✕',
  'no room': '▣',
  'port taken': '◆',
  'stuck rollout': '↻',
  waits: '…',
  unknown: '?',
};
const OUTCOMES = Object.keys(SIGNS);
// what keeps Pods from running, or changes from coming, counts more than what waits and what is not known
const HARD = ['never starts', 'no room', 'port taken', 'stuck rollout'];
const WORST = [...HARD, 'waits', 'unknown', 'excluded', 'runs', ''];
// with --only-problems: it runs there, or is excluded
const NOTHING = ['', ''];
const SIZE = { row: 28, column: 160, side: 300, head: 48 };
const byId = (id) => document.getElementById(id);
const [grid, sheet, form] = ['grid', 'sheet', 'form'].map(byId);
const [heads, sides, cells] = ['.heads', '.sides', '.cells'].map((name) => sheet.querySelector(name));

// what is shown: positions of workloads and of pools
let rows = [];
let columns = [];
let active = { row: 0, column: 0 };
let sortedBy;

const resultAt = (row, column) => {
  const code = fleet.pools[columns[column]].results[rows[row]];
  const [outcome, reason] = fleet.results[code] ?? NOTHING;
  return { workload: fleet.workloads[rows[row]], pool: fleet.pools[columns[column]], outcome, reason };
};
const isWrong = (outcome) => !['runs', 'excluded', ''].includes(outcome);
const outcomeOf = (workload, pool) => (fleet.results[fleet.pools[pool].results[workload]] ?? NOTHING)[0];

function choose() {
  const has = (text, part) => text.toLowerCase().includes(part.trim().toLowerCase());
  const wanted = byId('outcome').value;
  columns = fleet.pools.flatMap(({ names }, index) =>
    names.some((name) => has(name, byId('pools').value)) ? [index] : [],
  );
  const fits = (outcome) => (wanted === 'problems' ? isWrong(outcome) : wanted === '' || outcome === wanted);
  rows = fleet.workloads.flatMap((name, index) =>
    has(name, byId('workloads').value) && columns.some((pool) => fits(outcomeOf(index, pool))) ? [index] : [],
  );
  const countsOf = (row) => {
    const outcomes = columns.map((pool) => outcomeOf(row, pool));
    return [HARD, ['waits'], ['unknown']].map((kind) => outcomes.filter((outcome) => kind.includes(outcome)).length);
  };
  const problems = new Map(rows.map((row) => [row, countsOf(row)]));
  rows.sort((a, b) => (fleet.workloads[a] < fleet.workloads[b] ? -1 : 1));
  if (byId('order').value === 'problems') {
    rows.sort((a, b) => {
      const [less, more] = [problems.get(a), problems.get(b)];
      const first = less.findIndex((count, index) => count !== more[index]);
      return first === -1 ? 0 : more[first] - less[first];
    });
  }
  if (columns.includes(sortedBy)) {
    rows.sort((a, b) => WORST.indexOf(outcomeOf(a, sortedBy)) - WORST.indexOf(outcomeOf(b, sortedBy)));
  }
  active = { row: 0, column: 0 };
  byId('count').textContent =
    `${rows.length} of ${fleet.workloads.length} workloads, ${columns.length} of ${fleet.pools.length} columns`;
  grid.setAttribute('aria-rowcount', rows.length + 1);
  grid.setAttribute('aria-colcount', columns.length + 1);
  sheet.style.gridTemplate = `${SIZE.head}px ${Math.max(rows.length, 1) * SIZE.row}px / ${SIZE.side}px ${Math.max(columns.length, 1) * SIZE.column}px`;
  grid.scrollTo(0, 0);
  draw();
}

function element(place, text, attributes) {
  const made = document.createElement('div');
  made.className = 'at';
  made.textContent = text;
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  Object.assign(made.style, place);
  return made;
}

// only what is in sight is in the document
function draw() {
  const firstRow = Math.max(0, Math.floor(grid.scrollTop / SIZE.row) - 2);
  const firstColumn = Math.max(0, Math.floor(grid.scrollLeft / SIZE.column) - 1);
  const lastRow = Math.min(rows.length, firstRow + Math.ceil(grid.clientHeight / SIZE.row) + 4);
  const lastColumn = Math.min(columns.length, firstColumn + Math.ceil(grid.clientWidth / SIZE.column) + 2);
  const left = (column) => `${column * SIZE.column}px`;
  const top = (row) => `${row * SIZE.row}px`;
  const width = `${SIZE.column}px`;
  const [newHeads, newSides, newCells] = [[], [], []];
  for (let column = firstColumn; column < lastColumn; column += 1) {
    const { names, facts } = fleet.pools[columns[column]];
    const more = names.length > 1 ? ` +${names.length - 1}` : '';
    const head = element({ left: left(column), width }, `${names[0]}${more}`, {
      role: 'columnheader',
      'aria-colindex': column + 2,
      'data-column': column,
      title: names.join(', '),
    });
    head.append(Object.assign(document.createElement('small'), { textContent: facts }));
    newHeads.push(head);
  }
  for (let row = firstRow; row < lastRow; row += 1) {
    const name = fleet.workloads[rows[row]];
    newSides.push(element({ top: top(row), width: `${SIZE.side}px` }, name, { role: 'presentation', title: name }));
    const line = document.createElement('div');
    line.setAttribute('role', 'row');
    line.setAttribute('aria-rowindex', row + 2);
    for (let column = firstColumn; column < lastColumn; column += 1) {
      const { workload, pool, outcome, reason } = resultAt(row, column);
      const cell = element(
        { left: left(column), top: top(row), width },
        outcome === '' ? '' : `${SIGNS[outcome]} ${outcome}`,
        {
          role: 'gridcell',
          id: `cell-${row}-${column}`,
          'aria-colindex': column + 2,
          'aria-label': `${workload} on ${pool.names[0]}: ${outcome || 'no problem'}. ${reason}`,
          title: reason,
          'data-row': row,
          'data-column': column,
        },
      );
      cell.classList.toggle('runs', outcome === 'runs');
      cell.classList.toggle('wrong', isWrong(outcome));
      cell.classList.toggle('active', row === active.row && column === active.column);
      line.append(cell);
    }
    newCells.push(line);
  }
  heads.replaceChildren(...newHeads);
  sides.replaceChildren(...newSides);
  cells.replaceChildren(...newCells);
}

function tell(row, column) {
  const { workload, pool, outcome, reason } = resultAt(row, column);
  const where =
    pool.names.length > 5
      ? `${pool.names.slice(0, 5).join(', ')} and ${pool.names.length - 5} more`
      : pool.names.join(', ');
  byId('detail').textContent =
    `${workload} on ${where} (${pool.facts}): ${outcome || 'no problem'}${reason === '' ? '' : `: ${reason}`}`;
}

function moveTo(row, column) {
  if (rows.length === 0 || columns.length === 0) {
    return;
  }
  active = {
    row: Math.min(Math.max(row, 0), rows.length - 1),
    column: Math.min(Math.max(column, 0), columns.length - 1),
  };
  const [y, x] = [active.row * SIZE.row, active.column * SIZE.column];
  const [height, width] = [grid.clientHeight - SIZE.head, grid.clientWidth - SIZE.side];
  grid.scrollTo(
    Math.min(x, Math.max(grid.scrollLeft, x + SIZE.column - width)),
    Math.min(y, Math.max(grid.scrollTop, y + SIZE.row - height)),
  );
  draw();
  grid.setAttribute('aria-activedescendant', `cell-${active.row}-${active.column}`);
  tell(active.row, active.column);
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
  if (move !== undefined) {
    event.preventDefault();
    const [row, column] = event.ctrlKey && event.key === 'Home' ? [0, 0] : move(active);
    moveTo(event.ctrlKey && event.key === 'End' ? Infinity : row, column);
  }
});
grid.addEventListener('focus', () => moveTo(active.row, active.column));
cells.addEventListener('mouseover', ({ target }) => {
  if (target.dataset.row !== undefined) {
    tell(Number(target.dataset.row), Number(target.dataset.column));
  }
});
cells.addEventListener('click', ({ target }) => {
  if (target.dataset.row !== undefined) {
    moveTo(Number(target.dataset.row), Number(target.dataset.column));
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
window.addEventListener('resize', () => requestAnimationFrame(draw));
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', () => {
  sortedBy = undefined;
  choose();
});

for (const outcome of OUTCOMES) {
  byId('outcome').append(new Option(outcome, outcome));
  byId('legend').append(Object.assign(document.createElement('span'), { textContent: `${SIGNS[outcome]} ${outcome}` }));
}
if (fleet.total !== undefined) {
  byId('legend').append(Object.assign(document.createElement('span'), { textContent: fleet.total }));
}
choose();
