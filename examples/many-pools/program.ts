import { existsSync, readFileSync } from 'node:fs';
import type { App } from 'cdk8s';
import { PoolsChart } from './chart.js';
import { PoolsFileError } from './pools-csv.js';

/** Adds the pools of a file to an app. Problems are printed to stderr, for the people who maintain the file. */
export function addPools(app: App, file: string): PoolsChart | undefined {
  if (!existsSync(file)) {
    console.error(`${file}: there is no such file`);
    return undefined;
  }
  try {
    return new PoolsChart(app, 'pools', { file, text: readFileSync(file, 'utf8') });
  } catch (error) {
    if (error instanceof PoolsFileError) {
      console.error(error.message);
      return undefined;
    }
    throw error;
  }
}
