/** Fields of a schedule with their lowest and highest values, and names (robfig/cron v3 `ParseStandard`, with which Kubernetes reads schedules). */
const FIELDS: readonly { readonly from: number; readonly to: number; readonly names?: readonly string[] }[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { from: 0, to: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** A duration of Go. */
const EVERY = /^@every [+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|[smh]))+)$/;

/** What is wrong with the schedule of a CronJob; undefined for one that Kubernetes can read. */
export function faultOfSchedule(schedule: string): string | undefined {
  if (schedule.startsWith('@')) {
    return DESCRIPTORS.includes(schedule) || EVERY.test(schedule) ? undefined : 'no such descriptor is known';
  }
  if (/^(?:CRON_)?TZ=/.test(schedule)) {
    return 'a time zone is a field of its own, timeZone';
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return `it has ${fields.length} fields, and needs 5: minute, hour, day of the month, month, day of the week`;
  }
  const wrong = fields.find((field, index) => !field.split(',').every((part) => isRange(part, index)));
  return wrong === undefined ? undefined : `${wrong} is not valid there`;
}

/** `*`, `?`, a value, a range of values, each with a step. */
function isRange(part: string, index: number): boolean {
  const { from, to, names = [] } = FIELDS[index] as (typeof FIELDS)[number];
  const [range = '', step, ...more] = part.split('/');
  const [low = '', high, ...others] = range.split('-');
  const valueOf = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    return named >= 0 ? named + from : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  const isStep = step === undefined || (/^\d+$/.test(step) && Number(step) > 0);
  const isAny = (low === '*' || low === '?') && high === undefined;
  const begin = isAny ? from : valueOf(low);
  const end = isAny ? to : high === undefined ? begin : valueOf(high);
  return more.length === 0 && others.length === 0 && isStep && begin >= from && end <= to && begin <= end;
}
