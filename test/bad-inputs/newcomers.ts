import { ApiObject } from 'cdk8s';
import { EdgeApp, EdgeSystemComponents, ExcludedWorkload, SystemComponent } from 'edge-nodepools';
import { type BadInput, cluster, deployment, untyped } from './case.js';

const system =
  (props: object): BadInput['make'] =>
  (chart) =>
    new EdgeSystemComponents(chart, 's', untyped({ cluster, exclude: [SystemComponent.KUBE_PROXY], ...props }));

/** Mistakes without types that nothing was said of. */
export const newcomers: BadInput[] = [
  {
    what: 'a strategy that is misspelt, and so undefined',
    code: 'EDGE_VALUE',
    path: 'strategy[0]',
    hint: 'SERVER_SIDE_APPLY',
    make: system({ strategy: [undefined] }),
  },
  {
    what: 'no strategy',
    code: 'EDGE_STRATEGY',
    path: 'strategy',
    hint: 'SERVER_SIDE_APPLY',
    make: system({ strategy: [] }),
  },
  {
    what: 'a match that sets',
    code: 'EDGE_TYPE',
    path: 'match',
    hint: '=== compares',
    make: (chart) => {
      new ApiObject(chart, 'web', untyped(deployment()));
      chart.with(ExcludedWorkload.mixin(untyped({ cluster, match: () => 'web' })));
      chart.toJson();
    },
  },
  {
    what: 'a folder of EdgeApp in another spelling',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'outDir',
    hint: 'did you mean outdir?',
    make: () => new EdgeApp(untyped({ outDir: 'x' })),
  },
];
