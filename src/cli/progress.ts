import { Worker } from 'node:worker_threads';

/** What a worker needs to say how long a command takes: it writes to stderr itself, because the thread of the command is busy. */
export interface Ticker {
  readonly write: (text: string) => void;
  /** Calls back every second. */
  readonly everySecond: (run: () => void) => void;
}

/** Says that a command is still at work after 2, 4, 8 … seconds. Its text runs in a worker, so it knows nothing but its arguments. */
export function tick(command: string, { write, everySecond }: Ticker): void {
  let [seconds, next] = [0, 2];
  everySecond(() => {
    seconds += 1;
    if (seconds === next) {
      next *= 2;
      write(`edge-nodepools ${command}: still working, ${seconds} s\n`);
    }
  });
}

const START = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
(${tick.toString()})(workerData, { write: (text) => writeSync(2, text), everySecond: (run) => setInterval(run, 1000) });
`;

/** Shows on a terminal that a command is at work. Ends with the process. */
export function showProgress(command: string, isTerminal: boolean): Worker | undefined {
  if (!isTerminal) {
    return undefined;
  }
  const worker = new Worker(START, { eval: true, workerData: command });
  worker.unref();
  return worker;
}
