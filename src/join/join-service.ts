import type { ProblemList } from '../base/errors.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { checkProperties, mapWith, optional, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { shellScript } from '../base/shell-script.js';
import { compute } from '../base/unknown.js';
import { isTime } from './bootstrap-token.js';
import type { NodeFile } from './node-file.js';
import { SERVICE_PATH } from './node-paths.js';
import { shell } from './shell-parts.js';

/**
 * A timer of systemd that runs the script of a join until the node has joined, and then removes itself.
 * `edge-nodepools-join status` on the machine says what it waits for.
 *
 * @category Join nodes
 */
export interface JoinService {
  /** Pause after the first run that failed, in seconds, 10 to 3600. It doubles with each further one, and half of it is
   * random, so that the machines of a site do not all come at once.
   * @default 30 */
  readonly secondsBetweenRuns?: number;
  /** The longest pause, in seconds, at most 86400.
   * @default 900 */
  readonly maxSecondsBetweenRuns?: number;
  /** When it gives up: a time in UTC (RFC 3339), for example that at which the token expires.
   * @default - never */
  readonly until?: string;
  /** How long a run waits for a clock that is synchronized, in seconds, at most 3600. After that it joins all the same.
   * @default 120 */
  readonly secondsForTimeSync?: number;
  /** Whether it stays after the join, and looks at every boot whether the certificate of kubelet has expired, because
   * the machine was off for too long: then the machine joins again, for which it needs a token. Only for joins by
   * kubeadm.
   * @default false */
  readonly rejoinExpired?: boolean;
}

const NAME = 'edge-nodepools-join';
const UNIT_FOLDER = '/etc/systemd/system';
export const SERVICE_UNIT_NAME = `${NAME}.service`;
const SERVICE_UNIT = `${UNIT_FOLDER}/${SERVICE_UNIT_NAME}`;
const TIMER = `${UNIT_FOLDER}/${NAME}.timer`;
const TIMER_LINK = `${UNIT_FOLDER}/timers.target.wants/${NAME}.timer`;

/** By which systemd runs it. */
export const SERVICE_REGISTRATIONS: readonly string[] = [SERVICE_UNIT, TIMER, TIMER_LINK];

/** @param isYurtadm whether yurtadm joins */
export function checkJoinService(isYurtadm: boolean, service: unknown, problems: ProblemList): void {
  mapWith(
    (settings, at) => {
      checkProperties<JoinService>(settings, TABLE, at, ADVICE);
      const { secondsBetweenRuns: first = 30, maxSecondsBetweenRuns: most = 900 } = settings as JoinService;
      if (first > most) {
        at.at('maxSecondsBetweenRuns').add(
          'EDGE_CONTRADICTION',
          `the longest pause, ${most} s, is shorter than the first one, ${first} s`,
          `write ${first} or more`,
        );
      }
      if (isYurtadm && settings.rejoinExpired === true) {
        at.at('rejoinExpired').add(
          'EDGE_JOIN',
          'after yurtadm the certificate belongs to yurthub, not to kubelet',
          "leave it out, or write via: 'kubeadm'",
        );
      }
    },
    'service must be a map',
    'write {}, or { maxSecondsBetweenRuns: 1800 }',
  )(service, problems);
}

const ADVICE: Readonly<Record<string, string>> = {
  interval: 'did you mean secondsBetweenRuns?',
  manager: 'leave it out: systemd runs the service, and a machine without systemd cannot have one',
};

const TABLE: PropertyTable<JoinService> = {
  secondsBetweenRuns: wholeNumber(10, 3600),
  maxSecondsBetweenRuns: wholeNumber(10, 86_400),
  until: optional((until, problems) => {
    if (typeof until !== 'string' || !isTime(until)) {
      problems.add('EDGE_VALUE', `${showValue(until)} is not a time in UTC`, "write '2036-01-31T12:00:00Z'");
    }
  }),
  secondsForTimeSync: wholeNumber(0, 3600),
  rejoinExpired: checkBoolean,
};

/** The script of the service, which also makes systemd run it. */
export function serviceFile(service: JoinService, about: string): NodeFile {
  return {
    path: SERVICE_PATH,
    // for everybody, because it also says what the machine waits for
    permissions: '0755',
    content: compute(about, (known) =>
      shellScript({
        comments: [known, 'edge-nodepools-join status | now | stop'],
        variables: {
          first_pause: service.secondsBetweenRuns ?? 30,
          longest_pause: service.maxSecondsBetweenRuns ?? 900,
          seconds_for_time: service.secondsForTimeSync ?? 120,
          last_run: service.until ?? '',
          rejoins: service.rejoinExpired === true ? 'yes' : '',
        },
        parts: (['common', 'clock', 'service'] as const).map((file) => shell(file)),
      }),
    ),
  };
}
