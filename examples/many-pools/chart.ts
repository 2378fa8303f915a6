import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  EdgeError,
  RegularNodePool,
  HostNetworkNodePool,
  type HostNetworkNodePoolProps,
} from 'edge-nodepools';
import { type CsvProblem, locate, type PoolRow, PoolsFileError, readPools } from './pools-csv.js';

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

export interface PoolsChartProps {
  /** Name of the file, for messages. */
  readonly file: string;
  /** Content of the file. */
  readonly text: string;
}

/** All pools of a file, in one chart. */
export class PoolsChart extends Chart {
  constructor(scope: Construct, id: string, { file, text }: PoolsChartProps) {
    super(scope, id);
    const { rows, problems } = readPools(text);
    for (const row of rows) {
      problems.push(...this.addPool(row));
    }
    if (problems.length > 0) {
      throw new PoolsFileError(file, problems);
    }
  }

  /** Adds a pool; returns the problems of its line. The id is the line, so that the error about a duplicate name has the line of the first one. */
  private addPool(row: PoolRow): CsvProblem[] {
    const props = { cluster, type: row.type, ...row.props };
    try {
      if (row.mode === 'host-network') {
        // a Cloud pool is refused by the construct
        new HostNetworkNodePool(this, `line-${row.line}`, props as HostNetworkNodePoolProps);
      } else {
        new RegularNodePool(this, `line-${row.line}`, props);
      }
      return [];
    } catch (error) {
      if (error instanceof EdgeError) {
        return error.problems.map((problem) => locate(row, problem));
      }
      throw error;
    }
  }
}
